import assert from "node:assert/strict";
import { test } from "node:test";
import * as openai7 from "openai";
import * as openai6 from "openai-6";
import { args, clean, gather, play, said, scenarios, weather } from "./fake.mjs";

const model = "gpt-6-sol";

const schema = { type: "object", properties: { city: { type: "string" } } };
const stateless = { model, store: false, include: ["reasoning.encrypted_content"], tools: [{ type: "function", name: "weather", parameters: schema, strict: false }] };
const chatting = { model, tools: [{ type: "function", function: { name: "weather", parameters: schema } }] };

// converse asks twice: for the call, then with its result and all that came.
async function converse(ask) {
  const input = [{ role: "user", content: "Weather?" }];
  const first = await ask({ ...stateless, input: [...input] });
  const call = first.output.find((item) => item.type === "function_call");
  input.push(...first.output, { type: "function_call_output", call_id: call.call_id, output: "7" });
  return [first, await ask({ ...stateless, input })];
}

function lookAt(first, second) {
  assert.deepEqual(first.output.map((item) => item.type), ["reasoning", "function_call"]);
  const [reasoning, call] = first.output;
  assert.equal(reasoning.summary[0].text, "The user wants the weather in Leipzig.");
  assert.equal(reasoning.encrypted_content.length, 1200);
  assert.equal(call.name, "weather");
  assert.deepEqual(JSON.parse(call.arguments), args);
  assert.equal(first.status, "completed");
  assert.equal(second.output_text, said);
  assert.ok(second.usage.total_tokens > 0);
}

function lookAtRecord(seen, first, stream) {
  clean(seen);
  for (const x of seen) {
    assert.equal(x.endpoint, "responses");
    assert.equal(x.stream, stream);
    const body = JSON.parse(x.body);
    assert.equal(body.store, false);
    assert.deepEqual(body.include, ["reasoning.encrypted_content"]);
  }
  const [, reasoning, call, result] = JSON.parse(seen[1].body).input;
  assert.equal(reasoning.encrypted_content, first.output[0].encrypted_content);
  assert.equal(reasoning.id, first.output[0].id);
  assert.equal(call.arguments, first.output[1].arguments);
  assert.equal(result.call_id, call.call_id);
}

const user = { role: "user", content: "?" };
const refusals = [
  ["foreign cipher", [user, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABforeign==" }], { code: "invalid_encrypted_content" }, /^400 The encrypted content gAAA\.\.\.gn== could not be verified\./],
  ["output without call", [user, { type: "function_call_output", call_id: "call_1", output: "7" }], { param: "input" }, /^400 No tool call found for function call output with call_id call_1\./],
  ["call without output", [user, { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" }], { param: "input" }, /^400 No tool output found for function call call_1\./],
];

for (const [sdk, module] of [["openai 7", openai7], ["openai 6", openai6]]) judge(sdk, module);

function judge(sdk, { default: OpenAI, APIConnectionError, AuthenticationError, BadRequestError, InternalServerError, NotFoundError, RateLimitError }) {
  const client = (p, options) => new OpenAI({ apiKey: "k", baseURL: `${p.url}/v1`, maxRetries: 0, ...options });
  const gemini = (p, options) => client(p, { baseURL: `${p.url}/v1beta/openai/`, ...options });

  test(`${sdk}: responses.create and back`, async (t) => {
    const p = await play(t, { YAML: weather });
    const c = client(p);
    const [first, second] = await converse((body) => c.responses.create(body));
    lookAt(first, second);
    lookAtRecord(await p.seen(2), first, false);
  });

  test(`${sdk}: responses.create with stream and back`, async (t) => {
    const p = await play(t, { YAML: weather });
    const c = client(p);
    const kinds = new Set();
    const [first, second] = await converse(async (body) => {
      const events = await gather(await c.responses.create({ ...body, stream: true }));
      events.forEach((e, i) => assert.equal(e.sequence_number, i));
      for (const e of events) kinds.add(e.type);
      // No helper here, so no output_text.
      const { response } = events.at(-1);
      return { ...response, output_text: events.filter((e) => e.type === "response.output_text.delta").map((e) => e.delta).join("") };
    });
    lookAt(first, second);
    lookAtRecord(await p.seen(2), first, true);
    assert.deepEqual([...kinds].sort(), [
      "response.completed", "response.content_part.added", "response.content_part.done", "response.created",
      "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.in_progress",
      "response.output_item.added", "response.output_item.done", "response.output_text.delta", "response.output_text.done",
      "response.reasoning_summary_part.added", "response.reasoning_summary_part.done",
      "response.reasoning_summary_text.delta", "response.reasoning_summary_text.done",
    ]);
  });

  test(`${sdk}: responses.stream and finalResponse`, async (t) => {
    const p = await play(t, { YAML: weather });
    const c = client(p);
    const snapshots = [];
    const [first, second] = await converse((body) => {
      const stream = c.responses.stream(body);
      stream.on("response.function_call_arguments.delta", (e) => snapshots.push(e.snapshot));
      return stream.finalResponse();
    });
    lookAt(first, second);
    assert.deepEqual(JSON.parse(snapshots.at(-1)), args);
    const seen = await p.seen(2);
    // The helper adds parsed_arguments to what it read; that is the SDK's own.
    lookAtRecord(seen, first, true);
  });

  test(`${sdk}: responses, incomplete and a text alone`, async (t) => {
    const p = await play(t, { YAML: "replies: [{text: half, finish: MAX_TOKENS}, {text: half, finish: MAX_TOKENS}, {text: whole}]" });
    const c = client(p);
    const body = { model, input: "?", store: false };
    const plain = await c.responses.create(body);
    const streamed = await c.responses.stream(body).finalResponse();
    for (const r of [plain, streamed]) {
      assert.equal(r.status, "incomplete");
      assert.deepEqual(r.incomplete_details, { reason: "max_output_tokens" });
      assert.equal(r.output_text, "half");
    }
    assert.equal((await c.responses.stream(body).finalResponse()).output_text, "whole");
    clean(await p.seen(3));
  });

  test(`${sdk}: chat.completions and back, plain, streamed and through the helper`, async (t) => {
    for (const way of ["plain", "stream", "helper"]) {
      const p = await play(t, { YAML: weather });
      const c = client(p);
      const ask = async (messages) => {
        const body = { ...chatting, messages };
        if (way === "plain") return (await c.chat.completions.create(body)).choices[0];
        if (way === "helper") return (await c.chat.completions.stream(body).finalChatCompletion()).choices[0];
        const chunks = await gather(await c.chat.completions.create({ ...body, stream: true }));
        const deltas = chunks.map((chunk) => chunk.choices[0].delta);
        const calls = deltas.flatMap((d) => d.tool_calls ?? []);
        const tool_calls = calls.length > 0 ? [{ id: calls[0].id, type: calls[0].type, function: { name: calls[0].function.name, arguments: calls.map((d) => d.function.arguments).join("") } }] : undefined;
        return { message: { role: deltas[0].role, content: tool_calls ? null : deltas.map((d) => d.content ?? "").join(""), tool_calls }, finish_reason: chunks.at(-1).choices[0].finish_reason };
      };
      const messages = [{ role: "user", content: "Weather?" }];
      const first = await ask(messages);
      assert.equal(first.finish_reason, "tool_calls", way);
      const [call] = first.message.tool_calls;
      assert.deepEqual(JSON.parse(call.function.arguments), args, way);
      messages.push(first.message, { role: "tool", tool_call_id: call.id, content: "7" });
      const second = await ask(messages);
      assert.equal(second.message.content, said, way);
      assert.equal(second.finish_reason, "stop", way);
      const seen = await p.seen(2);
      clean(seen);
      for (const x of seen) assert.deepEqual([x.endpoint, x.stream, x.path], ["chat", way !== "plain", "/v1/chat/completions"]);
      assert.equal(JSON.parse(seen[1].body).messages[1].tool_calls[0].id, call.id);
    }
  });

  test(`${sdk}: chat.completions.runTools`, async (t) => {
    const p = await play(t, { YAML: weather });
    const runner = client(p).chat.completions.runTools({
      model,
      messages: [{ role: "user", content: "Weather?" }],
      tools: [{ type: "function", function: { name: "weather", parameters: schema, parse: JSON.parse, function: (got) => { assert.deepEqual(got, args); return "7"; } } }],
    });
    assert.equal(await runner.finalContent(), said);
    const seen = await p.seen(2);
    clean(seen);
    assert.equal(JSON.parse(seen[1].body).messages.at(-1).content, "7");
  });

  test(`${sdk}: 429 with Retry-After, 500 and a reset are tried again`, async (t) => {
    const p = await play(t, { YAML: `
  replies:
    - {text: one, fault: {times: 1, status: 429, retry_after: 0}}
    - {text: two, fault: {times: 1, status: 500}}
    - {text: three, fault: {times: 1, reset: before-headers}}
  ` });
    const c = client(p, { maxRetries: 2 });
    const said = [];
    for (let i = 0; i < 3; i++) said.push((await c.responses.create({ model, input: "?" })).output_text);
    assert.deepEqual(said, ["one", "two", "three"]);
    const seen = await p.seen(6);
    assert.deepEqual(seen.filter((x) => x.fault && x.status).map((x) => x.status).slice(0, 2), [429, 500]);
    assert.deepEqual(seen.map((x) => x.header["X-Stainless-Retry-Count"][0]), ["0", "1", "0", "1", "0", "1"]);
  });

  test(`${sdk}: what statuses become`, async (t) => {
    const p = await play(t, { YAML: `
  replies:
    - {error: {status: 401, message: Incorrect API key provided.}}
    - {error: {status: 404, message: No such model.}}
    - {text: late, fault: {times: 2, status: 429, retry_after: 7}}
    - {text: late, fault: {times: 2, status: 503}}
    - {text: cut, cut: true}
  ` });
    const c = client(p);
    const plain = () => c.responses.create({ model, input: "?" });
    const streamed = () => c.responses.create({ model, input: "?", stream: true });
    await assert.rejects(plain(), (e) => e instanceof AuthenticationError && e.status === 401 && /Incorrect API key/.test(e.message) && e.error.message === "Incorrect API key provided.");
    await assert.rejects(streamed(), (e) => e instanceof NotFoundError && e.status === 404);
    for (const ask of [plain, streamed]) {
      await assert.rejects(ask(), (e) => {
        assert.ok(e instanceof RateLimitError);
        assert.deepEqual([e.status, e.code, e.type, e.headers.get("retry-after")], [429, "rate_limit_exceeded", "requests", "7"]);
        return true;
      });
    }
    assert.equal((await plain()).output_text, "late");
    for (const ask of [plain, streamed]) await assert.rejects(ask(), (e) => e instanceof InternalServerError && e.status === 503 && e.type === "server_error");
    assert.equal((await plain()).output_text, "late");
    await assert.rejects(plain());
    assert.deepEqual((await p.seen(9)).map((x) => x.status), [401, 404, 429, 429, 200, 503, 503, 200, 200]);
  });

  test(`${sdk}: a stream that breaks off is an error`, async (t) => {
    const p = await play(t, { YAML: "replies: [{text: cut, cut: true}, {text: cut, fault: {cut_after: 90}}, {text: cut, fault: {reset: after-headers}}]" });
    const c = client(p);
    for (let i = 0; i < 3; i++) {
      const stream = await c.responses.create({ model, input: "?", stream: true });
      await assert.rejects(gather(stream));
    }
    for (const x of await p.seen(3)) assert.equal(x.status, 200);
  });

  test(`${sdk}: a connection that is reset is an APIConnectionError`, async (t) => {
    const p = await play(t, { YAML: "replies: [{text: hello, fault: {times: 1, reset: before-headers}}]" });
    const c = client(p);
    await assert.rejects(c.chat.completions.create({ ...chatting, messages: [{ role: "user", content: "?" }] }), APIConnectionError);
    assert.equal((await c.chat.completions.create({ ...chatting, messages: [{ role: "user", content: "?" }] })).choices[0].message.content, "hello");
    await p.seen(2);
  });

  for (const [name, input, fields, message] of refusals) {
    test(`${sdk}: BadRequestError of a refusal, ${name}`, async (t) => {
      const p = await play(t, {});
      const c = client(p);
      for (const ask of [() => c.responses.create({ ...stateless, input }), () => c.responses.create({ ...stateless, input, stream: true }), () => c.responses.stream({ ...stateless, input }).finalResponse()]) {
        await assert.rejects(ask(), (e) => {
          assert.ok(e instanceof BadRequestError);
          assert.equal(e.status, 400);
          assert.equal(e.type, "invalid_request_error");
          for (const [field, value] of Object.entries(fields)) assert.equal(e[field], value);
          assert.match(e.message, message);
          return true;
        });
      }
      for (const x of await p.seen(3)) assert.match(x.rule, /^openai\//);
    });
  }

  test(`${sdk}: BadRequestError of a tool message without a call`, async (t) => {
    const p = await play(t, {});
    await assert.rejects(client(p).chat.completions.create({ ...chatting, messages: [user, { role: "tool", tool_call_id: "call_1", content: "7" }] }), (e) => e instanceof BadRequestError && e.param === "messages.[1].role" && /messages with role 'tool'/.test(e.message));
    assert.match((await p.seen(1))[0].rule, /^openai\//);
  });

  test(`${sdk}: models`, async (t) => {
    const p = await play(t, {});
    for (const [c, name, n] of [[client(p), model, 3], [gemini(p), "gemini-3.8-flash", 3]]) {
      const ids = [];
      for await (const m of c.models.list()) ids.push(m.id);
      assert.equal(ids.length, n);
      assert.ok(ids.includes(name), `${ids}`);
      assert.equal((await c.models.retrieve(name)).id, name);
    }
    for (const x of await p.seen(4)) assert.equal(x.side, true);
  });

  // The SDK asks for base64 unless it is told otherwise, and unpacks it.
  test(`${sdk}: embeddings`, async (t) => {
    const p = await play(t, {});
    const c = client(p);
    const request = { model: "text-embedding-3-small", input: ["a", "b"], dimensions: 4 };
    const [packed, plain] = [await c.embeddings.create(request), await c.embeddings.create({ ...request, encoding_format: "float" })];
    for (const [i, { embedding }] of packed.data.entries()) {
      assert.equal(embedding.length, 4);
      for (const [k, x] of embedding.entries()) assert.ok(Math.abs(x - plain.data[i].embedding[k]) < 1e-5);
    }
    for (const x of await p.seen(2)) assert.equal(x.side, true);
  });

  // Every reply that the product scripts is the same to the SDK plain, from the
  // events, and through its helpers.
  test(`${sdk}: all scenarios`, async (t) => {
    let read = 0;
    for (const { id, cut, replies } of await scenarios()) {
      for (const [i, reply] of replies.entries()) {
        if (!["responses", "chat"].includes(reply.Endpoint) || cut === i + 1 || !reply.Plain || !reply.Stream || /unfinished|broken|incomplete|cut-short/.test(id)) continue;
        const p = await play(t, { Replies: [reply, reply], Enforce: false });
        const c = client(p);
        const what = `${id}, reply ${i + 1}`;
        if (reply.Endpoint === "chat") {
          const body = { ...chatting, messages: [user] };
          const plain = await c.chat.completions.create(body);
          const streamed = await c.chat.completions.stream(body).finalChatCompletion();
          const calls = (r) => r.choices[0].message.tool_calls?.map((call) => [call.id, call.function.name, call.function.arguments]) ?? [];
          assert.deepEqual(calls(streamed), calls(plain), what);
          assert.equal(streamed.choices[0].message.content ?? "", plain.choices[0].message.content ?? "", what);
        } else {
          const plain = await c.responses.create({ ...stateless, input: [user] });
          const streamed = await c.responses.stream({ ...stateless, input: [user] }).finalResponse();
          // The cipher of a stream is another one than that of the plain reply.
          const items = (r) => r.output.map((item) => [item.type, item.id, item.call_id, item.arguments, Boolean(item.encrypted_content)]);
          assert.deepEqual(items(streamed), items(plain), what);
          assert.equal(streamed.output_text, plain.output_text, what);
        }
        assert.deepEqual((await p.seen(2)).map((x) => [x.status, x.step, x.stream]), [[200, 1, false], [200, 2, true]]);
        read++;
      }
    }
    assert.ok(read > 20, `${read} replies were read`);
  });
}
