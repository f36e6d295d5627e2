# All that CI runs is a target here, and CI calls nothing else: see .ci/run.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build

GO ?= go
OUT ?= out
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# The linter is pinned here and nowhere else. Building it takes a minute or two
# on a new machine and nothing after that.
GOLANGCI := $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# Modules of their own, so that the root stays lean. Each check visits them too.
NESTED := $(patsubst %/go.mod,%,$(wildcard adapters/thirdparty/go/*/go.mod))

# The providers' own SDKs as clients of the fake provider; tests only.
SDKS := fakeserver/sdktest

# The live page and the report in a real Chromium; tests only.
BROWSER := internal/live/browsertest

# Drivers of real SDKs, BINARY:ARGUMENT. The binaries come from the nested modules.
DRIVERS := genai:genai-chats genai:genai-manual

# The day that docs/compatibility.md names. A check keeps the page's own day, so
# that it fails on what was measured and never on the calendar.
MEASURED ?= $(shell sed -n 's/.*Measured on \([0-9-]*\)\.$$/\1/p' docs/compatibility.md)

# The race detector needs a C compiler; without one go says CGO_ENABLED=0.
RACE := $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)

# What `make check` goes through, in this order, to the end.
# docs-check is one of the tests, so race runs it.
CHECKS := fmt-check lint tidy-check race sdks browser conformance mutate thirdparty

.PHONY: help
help: ## Show the targets
	@sed -nE 's/^([a-z-]+):.* ## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | sort | awk -F'\t' '{printf "%-12s %s\n", $$1, $$2}'

.PHONY: build
build: ## Build bin/replaycheck, stamped with the version
	$(GO) build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/replaycheck ./cmd/replaycheck

.PHONY: test
test: ## Run the tests, as the README says
	$(GO) test ./...

.PHONY: race
race: ## Run all tests, shuffled and with the race detector, in every module
	@$(if $(RACE),,echo 'race: no C compiler, so the race detector does not run' >&2)
	$(GO) test $(RACE) -shuffle=on -count=1 -timeout 30m ./...
	@for m in $(NESTED); do (set -x; cd $$m && $(GO) test $(RACE) -shuffle=on -count=1 -timeout 30m ./...); done

.PHONY: sdks
sdks: ## Have the providers' own SDKs talk to the fake provider; those of Node are skipped by name where they can't be had
	cd $(SDKS) && $(GO) test -count=1 .
	cd $(SDKS) && $(GO) test -count=1 -v ./node

.PHONY: selfcheck
selfcheck: ## Have the oracles judge subjects that are known to be bad: each must fail by its own requirement
	$(GO) test -count=1 -v -run KnownBad ./oracles

.PHONY: lint
lint: ## Run the linters of .golangci.yml in every module
	$(GOLANGCI) config verify
	$(GOLANGCI) run ./...
	@for m in $(NESTED) $(SDKS) $(BROWSER); do (set -x; cd $$m && $(GOLANGCI) run --config '$(CURDIR)/.golangci.yml' ./...); done

.PHONY: fmt
fmt: ## Format the Go files
	$(GOLANGCI) fmt

.PHONY: fmt-check
fmt-check: ## Fail if a Go file is not formatted, and show how it would be
	$(GOLANGCI) fmt --diff

.PHONY: tidy-check
tidy-check: ## Fail if go.mod or go.sum of a module would change, or a download is not what go.sum says
	$(GO) mod tidy -diff
	$(GO) mod verify
	@for m in $(NESTED) $(SDKS) $(BROWSER); do (set -x; cd $$m && $(GO) mod tidy -diff); done

.PHONY: conformance
conformance: ## Judge the reference adapters at level verbatim; reports go to out/
	@mkdir -p $(OUT)
	$(GO) run ./cmd/replaycheck run --level verbatim --json $(OUT)/reference.json --junit $(OUT)/reference.xml

# Every fault, on the wire and in source; fails when one is not detected.
.PHONY: mutate
mutate: build ## Prove the oracles: every selected fault must fail an assertion
	@mkdir -p $(OUT)
	bin/replaycheck mutate --json $(OUT)/mutate.json --junit $(OUT)/mutate.xml

# A red SDK is a measurement and no failure of ours; a run that did not come to
# its end is, and so is a wire fault that turns nothing red where the SDK passes.
# A measurement that differs from the page is shown.
.PHONY: thirdparty
thirdparty: thirdparty-run ## Judge the drivers of real SDKs; fails if docs/compatibility.md says something else
	@diff -u docs/compatibility.md $(OUT)/compatibility.md || \
		{ echo 'thirdparty: docs/compatibility.md is not what was measured; if that is right: make golden' >&2; exit 1; }

.PHONY: thirdparty-run
thirdparty-run: build
	@rm -rf bin/thirdparty $(OUT)/thirdparty; mkdir -p bin/thirdparty $(OUT)/thirdparty/faults
	@for m in $(NESTED); do (set -x; cd $$m && $(GO) build -trimpath -o '$(CURDIR)/bin/thirdparty/' ./...); done
	@for driver in $(DRIVERS); do \
		name=$${driver#*:}; code=0; \
		(set -x; bin/replaycheck run --subject "bin/thirdparty/$${driver%:*} $$name" --no-times \
			--json "$(OUT)/thirdparty/$$name.json" --junit "$(OUT)/thirdparty/$$name.xml" >"$(OUT)/thirdparty/$$name.txt") || code=$$?; \
		[ $$code -le 1 ] || { echo "thirdparty: $$name: exit code $$code, want 0 or 1" >&2; exit 1; }; \
		(set -x; bin/replaycheck mutate --kind wire --subject "bin/thirdparty/$${driver%:*} $$name" --no-times \
			--json "$(OUT)/thirdparty/faults/$$name.json" >"$(OUT)/thirdparty/faults/$$name.txt") || \
			{ tail -n 3 "$(OUT)/thirdparty/faults/$$name.txt" >&2; echo "thirdparty: $$name: an oracle did not see a fault in what it passes" >&2; exit 1; }; \
	done
	$(GO) run ./internal/compatibility -date "$(MEASURED)" $(OUT)/thirdparty/*.json >$(OUT)/compatibility.md

.PHONY: golden
golden: MEASURED = $(shell date -u +%F)
golden: thirdparty-run ## Rewrite golden files, docs/compatibility.md and docs/provider-rules.md
	$(GO) test ./fakeserver -run TestProviderRulesPage -update
	$(GO) test ./cmd/replaycheck ./internal/report -update
	cp $(OUT)/compatibility.md docs/compatibility.md

KILLS ?= 200
.PHONY: soak
soak: ## Kill processes of agent runs at every point, KILLS times on each engine; prints figures
	REPLAYCHECK_SOAK=$(KILLS) .ci/postgres $(GO) test -count=1 -timeout 60m -v -run TestSoak ./cmd/replaycheck

REQUESTS ?= 1000000
.PHONY: million
million: ## Have serve answer REQUESTS requests; prints its memory and what became of each
	REPLAYCHECK_REQUESTS=$(REQUESTS) $(GO) test -count=1 -timeout 60m -v -run TestServeForLong ./cmd/replaycheck

.PHONY: browser
browser: ## Look at the live page in Chromium; skipped by name where there is none
	cd $(BROWSER) && $(GO) test -count=1 -v ./...

.PHONY: bench
bench: ## Run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

# Takes about ten minutes; what can't be installed is named and left out. ARGS
# are flags of the command, such as -quick, -mutants=false or -packages.
.PHONY: bench-peers
bench-peers: build ## Hold serve and mutate against their peers, side by side; prints ratios
	@mkdir -p $(OUT)/bench-peers
	$(GO) build -o $(OUT)/bench-peers/run ./internal/benchpeers/run
	$(OUT)/bench-peers/run -dir $(OUT)/bench-peers $(ARGS) | tee $(OUT)/bench-peers.txt

.PHONY: rename
rename: ## Give the module another path: make rename MODULE=example.org/you/replaycheck
	@.ci/rename

.PHONY: check
check: ## All that CI runs besides `go test ./...`; goes on after a red stage
	@failed=; \
	for stage in $(CHECKS); do \
		start=$$SECONDS; result=ok; \
		echo "== $$stage"; \
		$(MAKE) --no-print-directory $$stage || { result=FAILED; failed="$$failed $$stage"; }; \
		echo "-- $$stage: $$result after $$((SECONDS - start)) s"; \
	done; \
	if [ -n "$$failed" ]; then echo "check: failed:$$failed" >&2; exit 1; fi

.PHONY: clean
clean: ## Remove what the targets made
	rm -rf bin $(OUT)
