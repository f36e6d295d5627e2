// Plays of the fake provider, made through the Go test that runs these tests.
import assert from "node:assert/strict";

const fakes = process.env.FAKES;
export const serve = process.env.SERVE;

async function ask(method, path, order) {
  const response = await fetch(fakes + path, { method, body: order && JSON.stringify(order) });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text);
}

// play begins a play. At the end of the test nothing may be left over and
// nothing may have come that was not scripted.
export async function play(t, order) {
  const { id, url } = await ask("POST", "/plays", { Enforce: true, ...order });
  t.after(async () => {
    const { exchanges, leftover, error } = await ask("DELETE", `/plays/${id}`);
    assert.equal(error, "");
    assert.equal(leftover, 0, "replies were left over");
    for (const x of exchanges) {
      assert.ok(x.step > 0 || x.refused || x.side || x.fault, `${x.method} ${x.path} was not scripted: ${x.reply}`);
    }
  });
  return {
    url,
    // seen returns the exchanges so far, as many as there must be.
    async seen(n) {
      const { exchanges } = await ask("GET", `/plays/${id}`);
      assert.equal(exchanges.length, n, "requests");
      return exchanges;
    },
  };
}

export const scenarios = () => ask("GET", "/scenarios");

// weather is a signed call after a thought, then an answer to its result.
export const weather = `
replies:
  - parts:
      - thought: The user wants the weather in Leipzig.
      - call: {name: weather, args: {city: Leipzig, "at <\\u2028&>": 1}, id: fc-1}
        signed: true
        length: 1200
  - text: "Take a coat – or stay in: 7 °C."
    signed: true
`;
export const args = { city: "Leipzig", "at <\u2028&>": 1 };
export const said = "Take a coat – or stay in: 7 °C.";

// gather reads a stream to its end.
export async function gather(stream) {
  const out = [];
  for await (const event of stream) out.push(event);
  return out;
}

// clean asserts that no request broke a rule.
export function clean(exchanges) {
  for (const [i, x] of exchanges.entries()) assert.equal(x.rule, "", `request ${i + 1}: ${x.reply}`);
}
