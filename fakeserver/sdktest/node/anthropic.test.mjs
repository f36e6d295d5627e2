import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic, { BadRequestError, InternalServerError, RateLimitError } from "@anthropic-ai/sdk";
import { args, clean, gather, play, said, weather } from "./fake.mjs";

const model = "claude-sonnet-5-5";
const client = (p, options) => new Anthropic({ apiKey: "k", baseURL: p.url, maxRetries: 0, ...options });
const user = { role: "user", content: "Weather?" };
const request = { model, max_tokens: 2048, thinking: { type: "enabled", budget_tokens: 1024 }, tools: [{ name: "weather", input_schema: { type: "object" } }] };

for (const stream of [false, true]) {
  test(`anthropic: messages with thinking and back, ${stream ? "streamed" : "plain"}`, async (t) => {
    const p = await play(t, { YAML: weather });
    const c = client(p);
    const ask = (messages) => (stream ? c.messages.stream({ ...request, messages }).finalMessage() : c.messages.create({ ...request, messages }));
    const first = await ask([user]);
    assert.deepEqual(first.content.map((block) => block.type), ["thinking", "tool_use"]);
    const [thinking, use] = first.content;
    assert.equal(thinking.signature.length, 1200);
    assert.deepEqual(use.input, args);
    assert.equal(first.stop_reason, "tool_use");
    const second = await ask([user, { role: "assistant", content: first.content }, { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: "7" }] }]);
    assert.equal(second.content.filter((block) => block.type === "text").map((block) => block.text).join(""), said);
    assert.equal(second.stop_reason, "end_turn");
    const seen = await p.seen(2);
    clean(seen);
    for (const x of seen) assert.deepEqual([x.endpoint, x.stream], ["anthropic", stream]);
    assert.equal(JSON.parse(seen[1].body).messages[1].content[0].signature, thinking.signature);
  });
}

test("anthropic: the events", async (t) => {
  const p = await play(t, { YAML: weather + "  - text: bye\n" });
  const c = client(p);
  const kinds = new Set((await gather(await c.messages.create({ ...request, messages: [user], stream: true }))).flatMap((e) => [e.type, e.delta?.type].filter(Boolean)));
  for (const want of ["message_start", "content_block_start", "thinking_delta", "signature_delta", "input_json_delta", "content_block_stop", "message_delta", "message_stop"]) assert.ok(kinds.has(want), `${want} in ${[...kinds]}`);
  await c.messages.create({ ...request, messages: [user] });
  await c.messages.create({ ...request, messages: [user] });
  await p.seen(3);
});

test("anthropic: BadRequestError of refusals", async (t) => {
  const p = await play(t, {});
  const c = client(p);
  const use = { type: "tool_use", id: "toolu_1", name: "weather", input: {} };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "7" }] };
  for (const [content, message] of [
    [[use], /Expected `thinking` or `redacted_thinking`, but found `tool_use`/],
    [[{ type: "thinking", thinking: "hm", signature: "aW52ZW50ZWQ=" }, use], /messages\.1\.content\.0: Invalid `signature` in `thinking` block/],
  ]) {
    for (const stream of [false, true]) {
      await assert.rejects(c.messages.create({ ...request, messages: [user, { role: "assistant", content }, result], stream }), (e) => {
        assert.ok(e instanceof BadRequestError);
        assert.equal(e.status, 400);
        assert.equal(e.error.error.type, "invalid_request_error");
        assert.match(e.error.error.message, message);
        return true;
      });
    }
  }
  for (const x of await p.seen(4)) assert.match(x.rule, /^anthropic\//);
});

test("anthropic: 429 and 529", async (t) => {
  const p = await play(t, { YAML: `
replies:
  - {text: one, fault: {times: 1, status: 429, retry_after: 0}}
  - {text: two, fault: {times: 1, status: 429, retry_after: 9}}
  - {text: three, fault: {times: 1, status: 529}}
` });
  const ask = (c) => c.messages.create({ ...request, messages: [user] });
  assert.equal((await ask(client(p, { maxRetries: 1 }))).content.at(-1).text, "one");
  const c = client(p);
  await assert.rejects(ask(c), (e) => e instanceof RateLimitError && e.status === 429 && e.error.error.type === "rate_limit_error" && e.headers.get("retry-after") === "9");
  assert.equal((await ask(c)).content.at(-1).text, "two");
  await assert.rejects(ask(c), (e) => e instanceof InternalServerError && e.status === 529 && e.error.error.type === "overloaded_error");
  assert.equal((await ask(c)).content.at(-1).text, "three");
  assert.deepEqual((await p.seen(6)).map((x) => x.status), [429, 200, 429, 200, 529, 200]);
});

test("anthropic: beside the conversation", async (t) => {
  const p = await play(t, {});
  const c = client(p);
  assert.ok((await c.messages.countTokens({ model, messages: [user] })).input_tokens > 0);
  const ids = [];
  for await (const m of c.models.list()) ids.push(m.id);
  assert.deepEqual(ids, ["claude-sonnet-4-5"]);
  assert.equal((await c.models.retrieve("claude-x")).id, "claude-x");
  for (const x of await p.seen(3)) assert.equal(x.side, true);
});
