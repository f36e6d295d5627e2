// A real "replaycheck serve": every SDK talks to it at once, and its own
// verdict on each conversation is a pass.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { gather, serve } from "./fake.mjs";

const answer = "Take a coat or stay in.";

// Each talks until the answer and returns it.
const talks = {
  async genai(baseUrl) {
    const chat = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl } }).chats.create({ model: "gemini-3.8-flash" });
    const [call] = (await chat.sendMessage({ message: "Weather?" })).functionCalls;
    return (await chat.sendMessage({ message: [{ functionResponse: { id: call.id, name: call.name, response: { result: "7" } } }] })).text;
  },
  async "genai-streamed"(baseUrl) {
    const chat = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl } }).chats.create({ model: "gemini-3.8-flash" });
    const [call] = (await gather(await chat.sendMessageStream({ message: "Weather?" }))).flatMap((c) => c.functionCalls ?? []);
    const chunks = await gather(await chat.sendMessageStream({ message: [{ functionResponse: { id: call.id, name: call.name, response: { result: "7" } } }] }));
    return chunks.map((c) => c.text ?? "").join("");
  },
  responses: (baseURL) => openai(baseURL, (c, body) => c.responses.create(body)),
  "responses-streamed": (baseURL) => openai(baseURL, (c, body) => c.responses.stream(body).finalResponse()),
  async chat(baseURL) {
    const c = new OpenAI({ apiKey: "k", baseURL: `${baseURL}/v1` });
    const messages = [{ role: "user", content: "Weather?" }];
    const { message } = (await c.chat.completions.create({ model: "gpt-6-sol", messages })).choices[0];
    messages.push(message, { role: "tool", tool_call_id: message.tool_calls[0].id, content: "7" });
    return (await c.chat.completions.create({ model: "gpt-6-sol", messages })).choices[0].message.content;
  },
  anthropic: (baseURL) => anthropic(baseURL, (c, body) => c.messages.create(body)),
  "anthropic-streamed": (baseURL) => anthropic(baseURL, (c, body) => c.messages.stream(body).finalMessage()),
};

async function openai(baseURL, ask) {
  const c = new OpenAI({ apiKey: "k", baseURL: `${baseURL}/v1` });
  const body = { model: "gpt-6-sol", store: false, include: ["reasoning.encrypted_content"], input: [{ role: "user", content: "Weather?" }] };
  const { output } = await ask(c, body);
  body.input.push(...output.map(({ parsed_arguments: _, ...item }) => item));
  body.input.push({ type: "function_call_output", call_id: output.at(-1).call_id, output: "7" });
  return (await ask(c, body)).output_text;
}

async function anthropic(baseURL, ask) {
  const c = new Anthropic({ apiKey: "k", baseURL });
  const body = { model: "claude-sonnet-5-5", max_tokens: 2048, thinking: { type: "enabled", budget_tokens: 1024 }, messages: [{ role: "user", content: "Weather?" }] };
  const { content } = await ask(c, body);
  body.messages.push({ role: "assistant", content }, { role: "user", content: [{ type: "tool_result", tool_use_id: content.at(-1).id, content: "7" }] });
  return (await ask(c, body)).content.at(-1).text;
}

// judged is a conversation once its verdict is about so many requests: serve
// judges beside answering.
async function judged(id, requests) {
  const end = Date.now() + 20_000;
  for (;;) {
    const seen = await (await fetch(`${serve}/_replaycheck/api/conversations/${id}`)).json();
    if (seen.exchanges.length === requests) return seen;
    assert.ok(Date.now() < end, `got ${seen.exchanges.length} requests of ${seen.name}, want ${requests}`);
    await setTimeout(20);
  }
}

test("serve: all SDKs at once, and every conversation passes", async () => {
  const names = Object.keys(talks);
  assert.deepEqual(await Promise.all(names.map((name) => talks[name](`${serve}/c/${name}`))), names.map(() => answer));
  const list = await (await fetch(`${serve}/_replaycheck/api/conversations`)).json();
  for (const name of names) {
    const row = list.conversations.find((c) => c.name === name);
    assert.ok(row, `${name} is in ${JSON.stringify(list)}`);
    const seen = await judged(row.id, 2);
    assert.deepEqual(seen.findings, [], name);
    assert.equal(seen.exchanges.filter((x) => x.refused).length, 0, name);
  }
});
