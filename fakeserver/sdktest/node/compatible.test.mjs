// Gemini's OpenAI-compatible endpoint: the signature is in extra_content.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as openai7 from "openai";
import * as openai6 from "openai-6";
import { args, clean, gather, play, said, weather } from "./fake.mjs";

const model = "gemini-3.8-flash";
const user = { role: "user", content: "Weather?" };
const signatureOf = (call) => call.extra_content?.google?.thought_signature ?? call.extra_content?.vertex?.thought_signature;

judge("openai 7", openai7, /missing a thought_signature/);
// Google's error is in a list, where this version does not look for it.
judge("openai 6", openai6, /^400 status code \(no body\)$/);

function judge(sdk, { default: OpenAI, BadRequestError }, loss) {
  const client = (p) => new OpenAI({ apiKey: "k", baseURL: `${p.url}/v1beta/openai/`, maxRetries: 0 });
  const vertex = (p) => new OpenAI({ apiKey: "k", baseURL: `${p.url}/v1/projects/p/locations/l/endpoints/openapi`, maxRetries: 0 });

  for (const [name, make, word] of [["AI Studio", client, "google"], ["Vertex", vertex, undefined]]) {
    test(`${sdk} on Gemini: a signed call and back, plain, ${name}`, async (t) => {
      const p = await play(t, { YAML: weather });
      const c = make(p);
      const first = (await c.chat.completions.create({ model, messages: [user] })).choices[0].message;
      const [call] = first.tool_calls;
      assert.deepEqual(JSON.parse(call.function.arguments), args);
      assert.equal(signatureOf(call).length, 1200);
      if (word) assert.deepEqual(Object.keys(call.extra_content), [word]);
      const second = await c.chat.completions.create({ model, messages: [user, first, { role: "tool", tool_call_id: call.id, content: "7" }] });
      assert.equal(second.choices[0].message.content, said);
      const seen = await p.seen(2);
      clean(seen);
      for (const x of seen) assert.equal(x.endpoint, "gemini-openai");
      assert.equal(signatureOf(JSON.parse(seen[1].body).messages[1].tool_calls[0]), signatureOf(call));
    });
  }

  test(`${sdk} on Gemini: streamed, the signature is on the first delta of the call`, async (t) => {
    const p = await play(t, { YAML: weather });
    const c = client(p);
    const chunks = await gather(await c.chat.completions.create({ model, messages: [user], stream: true }));
    const deltas = chunks.flatMap((chunk) => chunk.choices[0].delta.tool_calls ?? []);
    assert.equal(signatureOf(deltas[0]).length, 1200);
    assert.equal(deltas.slice(1).filter(signatureOf).length, 0);
    const call = { id: deltas[0].id, type: "function", extra_content: deltas[0].extra_content, function: { name: deltas[0].function.name, arguments: deltas.map((d) => d.function.arguments).join("") } };
    assert.deepEqual(JSON.parse(call.function.arguments), args);
    const answer = await gather(await c.chat.completions.create({ model, stream: true, messages: [user, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: call.id, content: "7" }] }));
    assert.equal(answer.map((chunk) => chunk.choices[0].delta.content ?? "").join(""), said);
    const seen = await p.seen(2);
    clean(seen);
    assert.ok(seen[1].body.includes(signatureOf(call)));
  });

  // A late delta has no index, so the SDK's helper can't put it anywhere; who
  // reads the chunks sees it.
  test(`${sdk} on Gemini: a late delta without index`, async (t) => {
    const signature = "EjQKMgG+Pvb7Qp8/aGVsbG8gd29ybGQ=";
    const chunk = (delta, finish) => `data: ${JSON.stringify({ id: "1", created: 1, model, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const Stream =
      chunk({ role: "assistant", tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }] }, null) +
      chunk({ tool_calls: [{ extra_content: { google: { thought_signature: signature } } }] }, "tool_calls") +
      "data: [DONE]\n\n";
    const p = await play(t, { Replies: [{ Endpoint: "gemini-openai", Stream }] });
    const chunks = await gather(await client(p).chat.completions.create({ model, messages: [user], stream: true }));
    const deltas = chunks.flatMap((c) => c.choices[0].delta.tool_calls ?? []);
    assert.equal(deltas.length, 2);
    assert.equal(signatureOf(deltas[1]), signature);
    assert.equal(deltas[1].index, undefined);
    clean(await p.seen(1));
  });

  test(`${sdk} on Gemini: a lost signature is a BadRequestError`, async (t) => {
    const p = await play(t, { YAML: weather });
    const c = client(p);
    const { message } = (await c.chat.completions.create({ model, messages: [user] })).choices[0];
    const [{ extra_content: lost, ...bare }] = message.tool_calls;
    assert.ok(lost);
    const request = (call) => ({ model, messages: [user, { role: "assistant", tool_calls: [call] }, { role: "tool", tool_call_id: bare.id, content: "7" }] });
    await assert.rejects(c.chat.completions.create(request(bare)), (e) => {
      assert.ok(e instanceof BadRequestError);
      assert.equal(e.status, 400);
      assert.match(e.message, loss);
      return true;
    });
    const [, refused] = await p.seen(2);
    assert.match(refused.rule, /missing-signature/);
    assert.match(JSON.parse(refused.reply)[0].error.message, /missing a thought_signature/);
    await c.chat.completions.create(request({ ...bare, extra_content: lost }));
  });
}
