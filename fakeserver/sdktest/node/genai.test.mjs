import assert from "node:assert/strict";
import { test } from "node:test";
import * as genai3 from "@google/genai";
import * as genai2 from "genai-2";
import { OAuth2Client } from "google-auth-library";
import { args, clean, gather, play, said, scenarios, weather } from "./fake.mjs";

const model = "gemini-3.8-flash";

const signedPart = (content) => content.parts.find((part) => part.functionCall);

function signedIn() {
  const auth = new OAuth2Client();
  auth.setCredentials({ access_token: "token", expiry_date: Date.now() + 3_600_000 });
  return auth;
}

// The ways to the API, each with the path that it must take.
const ways = (version) => ({
  "AI Studio": { endpoint: "gemini", path: `/${version}/`, options: { apiKey: "k" } },
  "AI Studio, v1alpha": { endpoint: "gemini", path: "/v1alpha/", options: { apiKey: "k", apiVersion: "v1alpha" } },
  "Vertex with a key": { endpoint: "vertex", path: "/v1beta1/publishers/google/", options: { vertexai: true, apiKey: "k" } },
  "Vertex with a project": {
    endpoint: "vertex",
    path: "/v1beta1/projects/p/locations/l/publishers/google/",
    options: { vertexai: true, project: "p", location: "l", googleAuthOptions: { authClient: signedIn() } },
  },
});

for (const [sdk, { ApiError, GoogleGenAI }, version] of [["genai 3", genai3, "v1"], ["genai 2", genai2, "v1beta"]]) judge(sdk, { ApiError, GoogleGenAI }, ways(version));

function judge(sdk, { ApiError, GoogleGenAI }, ways) {
  const client = (p, options) => new GoogleGenAI({ ...options, httpOptions: { baseUrl: p.url } });
  const aistudio = (p) => client(p, { apiKey: "k" });

  for (const [name, way] of Object.entries(ways)) {
    test(`${sdk}: generateContent and back, ${name}`, async (t) => {
      const p = await play(t, { YAML: weather });
      const ai = client(p, way.options);
      const contents = [{ role: "user", parts: [{ text: "Weather?" }] }];
      const first = await ai.models.generateContent({ model, contents });
      const turn = first.candidates[0].content;
      assert.deepEqual(first.functionCalls.map((c) => c.args), [args]);
      const { thoughtSignature, functionCall } = signedPart(turn);
      assert.equal(thoughtSignature.length, 1200);
      assert.equal(first.candidates[0].finishReason, "STOP");
      assert.ok(first.usageMetadata.totalTokenCount > 0);
      contents.push(turn, { role: "user", parts: [{ functionResponse: { id: functionCall.id, name: functionCall.name, response: { result: "7" } } }] });
      const second = await ai.models.generateContent({ model, contents });
      assert.equal(second.text, said);
      const seen = await p.seen(2);
      clean(seen);
      for (const x of seen) {
        assert.equal(x.endpoint, way.endpoint);
        assert.equal(x.path, `${way.path}models/${model}:generateContent`);
        assert.equal(x.stream, false);
      }
      assert.equal(signedPart(JSON.parse(seen[1].body).contents[1]).thoughtSignature, thoughtSignature);
    });

    test(`${sdk}: generateContentStream, ${name}`, async (t) => {
      const p = await play(t, { YAML: weather });
      const ai = client(p, way.options);
      const contents = [{ role: "user", parts: [{ text: "Weather?" }] }];
      const chunks = await gather(await ai.models.generateContentStream({ model, contents }));
      const parts = chunks.flatMap((c) => c.candidates?.[0].content?.parts ?? []);
      const call = parts.find((part) => part.functionCall);
      assert.deepEqual(call.functionCall.args, args);
      assert.equal(call.thoughtSignature.length, 1200);
      assert.equal(chunks.at(-1).candidates[0].finishReason, "STOP");
      contents.push({ role: "model", parts }, { role: "user", parts: [{ functionResponse: { id: call.functionCall.id, name: "weather", response: { result: "7" } } }] });
      const answer = await gather(await ai.models.generateContentStream({ model, contents }));
      assert.equal(answer.map((c) => c.text ?? "").join(""), said);
      const seen = await p.seen(2);
      clean(seen);
      for (const x of seen) {
        assert.equal(x.stream, true);
        assert.equal(x.path, `${way.path}models/${model}:streamGenerateContent`);
        assert.equal(x.query, "alt=sse");
        assert.equal(x.endpoint, way.endpoint);
      }
      assert.ok(seen[1].body.includes(call.thoughtSignature));
    });

    test(`${sdk}: ApiError of a refusal, ${name}`, async (t) => {
      const p = await play(t, { YAML: weather });
      const ai = client(p, way.options);
      const contents = [
        { role: "user", parts: [{ text: "Weather?" }] },
        { role: "model", parts: [{ functionCall: { name: "weather", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "weather", response: { result: "7" } } }] },
      ];
      const want = way.endpoint === "vertex" ? /^Unable to submit request because function call `weather` in the 2\. content block is missing/ : /^Function call is missing a thought_signature in functionCall parts\./;
      const isRefusal = (e) => {
        assert.ok(e instanceof ApiError);
        assert.equal(e.status, 400);
        const { error } = JSON.parse(e.message);
        assert.equal(error.code, 400);
        assert.equal(error.status, "INVALID_ARGUMENT");
        assert.match(error.message, want);
        return true;
      };
      await assert.rejects(ai.models.generateContent({ model, contents }), isRefusal);
      await assert.rejects(ai.models.generateContentStream({ model, contents }), isRefusal);
      for (const x of await p.seen(2)) {
        assert.match(x.rule, /missing-signature/);
        assert.equal(x.refused, true);
        assert.equal(x.status, 400);
      }
    });
  }

  for (const stream of [false, true]) {
    test(`${sdk}: a chat with a function call, ${stream ? "streamed" : "plain"}`, async (t) => {
      const p = await play(t, { YAML: weather });
      const chat = aistudio(p).chats.create({ model });
      const send = async (message) => {
        if (!stream) return [await chat.sendMessage({ message })];
        return gather(await chat.sendMessageStream({ message }));
      };
      const first = await send("Weather?");
      const call = first.flatMap((c) => c.functionCalls ?? [])[0];
      assert.deepEqual(call.args, args);
      const answer = await send([{ functionResponse: { id: call.id, name: call.name, response: { result: "7" } } }]);
      assert.equal(answer.map((c) => c.text ?? "").join(""), said);
      const signature = signedPart(chat.getHistory().find((c) => signedPart(c))).thoughtSignature;
      assert.equal(signature.length, 1200);
      const seen = await p.seen(2);
      clean(seen);
      assert.equal(seen[1].body.split(signature).length, 2, "the signature came back once");
      assert.equal(seen[1].stream, stream);
    });
  }

  test(`${sdk}: ApiError of signatures that were spoilt`, async (t) => {
    const p = await play(t, { YAML: weather });
    const ai = aistudio(p);
    const contents = [{ role: "user", parts: [{ text: "Weather?" }] }];
    const turn = (await ai.models.generateContent({ model, contents })).candidates[0].content;
    const after = { role: "user", parts: [{ functionResponse: { id: "fc-1", name: "weather", response: { result: "7" } } }] };
    const spoilt = [(s) => s.slice(0, 400), () => "bm90IG91cnM=", () => "not base64!"];
    for (const [i, spoil] of spoilt.entries()) {
      const parts = turn.parts.map((part) => (part.thoughtSignature ? { ...part, thoughtSignature: spoil(part.thoughtSignature) } : part));
      await assert.rejects(
        ai.models.generateContent({ model, contents: [...contents, { role: "model", parts }, after] }),
        (e) => e instanceof ApiError && e.status === 400 && JSON.parse(e.message).error.status === "INVALID_ARGUMENT",
      );
      assert.match((await p.seen(i + 2)).at(-1).rule, /^gemini\//);
    }
    await ai.models.generateContent({ model, contents: [...contents, turn, after] });
    assert.equal((await p.seen(5))[4].rule, "");
  });

  for (const [status, word] of [[429, "RESOURCE_EXHAUSTED"], [500, "INTERNAL"], [503, "UNAVAILABLE"]]) {
    test(`${sdk}: ApiError ${status}, plain and streamed`, async (t) => {
      const p = await play(t, { YAML: `replies: [{text: hello, fault: {times: 2, status: ${status}, retry_after: 1}}]` });
      const ai = aistudio(p);
      const request = { model, contents: "?" };
      const failed = (e) => e instanceof ApiError && e.status === status && JSON.parse(e.message).error.status === word && JSON.parse(e.message).error.code === status;
      await assert.rejects(ai.models.generateContent(request), failed);
      await assert.rejects(ai.models.generateContentStream(request), failed);
      assert.equal((await ai.models.generateContent(request)).text, "hello");
      const seen = await p.seen(3);
      assert.deepEqual(seen.map((x) => x.status), [status, status, 200]);
    });
  }

  test(`${sdk}: retries as asked`, async (t) => {
    const p = await play(t, { YAML: "replies: [{text: hello, fault: {times: 1, status: 429, retry_after: 0}}]" });
    const ai = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: p.url, retryOptions: { attempts: 2 } } });
    assert.equal((await ai.models.generateContent({ model, contents: "?" })).text, "hello");
    assert.deepEqual((await p.seen(2)).map((x) => x.status), [429, 200]);
  });

  test(`${sdk}: a stream that breaks off is an error`, async (t) => {
    const p = await play(t, { YAML: "replies: [{text: hello, cut: true}, {text: hello, fault: {cut_after: 40}}]" });
    const ai = aistudio(p);
    for (let i = 0; i < 2; i++) {
      const stream = await ai.models.generateContentStream({ model, contents: "?" });
      await assert.rejects(gather(stream));
    }
    assert.deepEqual((await p.seen(2)).map((x) => x.step), [1, 2]);
  });

  test(`${sdk}: finishReason MISSING_THOUGHT_SIGNATURE`, async (t) => {
    const p = await play(t, { Replies: [], With: ["gemini/finish-reason"] });
    const r = await aistudio(p).models.generateContent({
      model,
      contents: [
        { role: "user", parts: [{ text: "?" }] },
        { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "f", response: {} } }] },
      ],
    });
    assert.equal(r.candidates[0].finishReason, "MISSING_THOUGHT_SIGNATURE");
    assert.equal((await p.seen(1))[0].refused, true);
  });

  test(`${sdk}: beside the conversation`, async (t) => {
    const p = await play(t, {});
    const ai = aistudio(p);
    assert.ok((await ai.models.countTokens({ model, contents: "Hello there" })).totalTokens > 0);
    const embedded = await ai.models.embedContent({ model: "gemini-embedding-001", contents: ["Hello", "there"], config: { outputDimensionality: 256 } });
    assert.deepEqual(embedded.embeddings.map((e) => e.values.length), [256, 256]);
    assert.equal((await ai.models.get({ model })).name, `models/${model}`);
    const names = [];
    for await (const m of await ai.models.list()) names.push(m.name);
    assert.equal(names.length, 3);
    assert.ok(names.includes(`models/${model}`));
    const seen = await p.seen(4);
    for (const x of seen) assert.equal(x.side, true);
  });

  test(`${sdk}: beside the conversation on Vertex`, async (t) => {
    const p = await play(t, {});
    const ai = client(p, ways["Vertex with a project"].options);
    assert.ok((await ai.models.countTokens({ model, contents: "Hello there" })).totalTokens > 0);
    const embedded = await ai.models.embedContent({ model: "text-embedding-005", contents: ["Hello", "there"], config: { outputDimensionality: 256 } });
    assert.deepEqual(embedded.embeddings.map((e) => [e.values.length, e.statistics.tokenCount]), [[256, 2], [256, 2]]);
    const names = [];
    for await (const m of await ai.models.list()) names.push(m.name);
    assert.equal(names.length, 3);
    assert.ok(names.includes(`publishers/google/models/${model}`), `${names}`);
    for (const x of await p.seen(3)) assert.equal(x.side, true);
  });

  // What the product scripts reads the same plain and streamed.
  test(`${sdk}: all scenarios`, async (t) => {
    let read = 0;
    for (const { id, cut, replies } of await scenarios()) {
      for (const [i, reply] of replies.entries()) {
        if (!["gemini", "vertex"].includes(reply.Endpoint) || cut === i + 1 || !reply.Plain || !reply.Stream || /malformed|unfinished|broken/.test(id)) continue;
        const own = { ...reply, Fault: null };
        const p = await play(t, { Replies: [own, own], Enforce: false });
        const ai = client(p, ways[reply.Endpoint === "vertex" ? "Vertex with a key" : "AI Studio"].options);
        const plain = await ai.models.generateContent({ model, contents: "?" });
        const chunks = await gather(await ai.models.generateContentStream({ model, contents: "?" }));
        const signatures = (all) => all.flatMap((c) => c.candidates?.find((one) => !one.index)?.content?.parts ?? []).map((part) => part?.thoughtSignature).filter(Boolean);
        assert.deepEqual(signatures(chunks), signatures([plain]), `${id}, reply ${i + 1}`);
        assert.deepEqual((await p.seen(2)).map((x) => [x.status, x.step]), [[200, 1], [200, 2]]);
        read++;
      }
    }
    assert.ok(read > 40, `${read} replies were read`);
  });
}
