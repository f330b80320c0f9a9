import { tool } from "@agentscope-ts/tool"
import { evaluate } from "./evaluate.ts"
import { format, formatRounded } from "./rational.ts"

/** `calculate`: the value of an arithmetic expression, exact where it can be; "≈" marks what is rounded. */
export const calculate = tool({
  name: "calculate",
  description:
    'Compute an arithmetic expression exactly, such as "17 * 23", "0.1 + 0.2" or "2^64 / 3". It has + - * / % (modulo) ^ ! and brackets, sqrt, cbrt, abs, round, floor, ceil, min, max, gcd, lcm, exp, ln, log, sin, cos, tan, pi and e. "≈" marks a rounded result.',
  input: {
    type: "object",
    properties: { expression: { type: "string", description: "The expression." } },
    required: ["expression"],
  },
  effects: "none",
  execute: ({ expression }) => {
    const value = evaluate(expression)
    return typeof value === "number" ? formatRounded(value) : format(value)
  },
})
