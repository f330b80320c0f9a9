/** A body that was damaged, and from where on. */
export interface DamagedBody {
  readonly bytes: Buffer
  /** The offset of the first byte that is not as it was. */
  readonly from: number
  /** The connection breaks at the end. */
  readonly broken?: boolean
  /** `same`: the answer is what it was; `unless-error`: it is, or the call fails; otherwise it may differ. */
  readonly answer?: "same" | "unless-error"
  /** The call must fail. */
  readonly fails?: boolean
}

/** A recorded stream that is to be damaged: its bytes, the ends of its events, and random numbers. */
export interface Subject {
  readonly bytes: Buffer
  readonly ends: readonly number[]
  readonly ndjson: boolean
  /** A whole number from 0 to below `limit`. */
  readonly random: (limit: number) => number
}

const bad = [[0xff], [0xc3], [0xe4, 0xbd], [0xf0, 0x9f, 0x98], [0x80], [0xed, 0xa0, 0x80], [0xc0, 0xaf]]
const signs = [0, 0x0a, 0x0d, 0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x3a, 0x2c, 0x20, 0x31]

const replaced = (bytes: Buffer, from: number, to: number, by: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)])

function eventsOf({ bytes, ends }: Subject): Buffer[] {
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
}

/** The ways to damage a stream, by what a test calls them; `share` is how many of ten are of that kind. */
export const damages: readonly {
  readonly name: string
  readonly share: number
  readonly damage: (subject: Subject) => DamagedBody
}[] = [
  {
    name: "cut anywhere",
    share: 2,
    damage: ({ bytes, random }) => {
      const from = random(bytes.length)
      return { bytes: bytes.subarray(0, from), from, broken: random(3) === 0, answer: "unless-error" }
    },
  },
  {
    name: "with bytes changed, put in or taken out",
    share: 2,
    damage: ({ bytes, random }) => {
      let out = bytes
      let first = bytes.length
      for (let count = 1 + random(3); count > 0; count--) {
        const from = random(out.length)
        const put = Buffer.from(
          random(4) === 0 ? [] : [random(2) === 0 ? random(256) : (signs[random(signs.length)] ?? 0)],
        )
        out = replaced(out, from, from + random(3), put)
        first = Math.min(first, from)
      }
      return { bytes: out, from: first }
    },
  },
  {
    name: "with bytes that are no UTF-8",
    share: 1,
    damage: ({ bytes, random }) => {
      const from = random(bytes.length)
      return { bytes: replaced(bytes, from, from, Buffer.from(bad[random(bad.length)] ?? [])), from }
    },
  },
  {
    name: "with events lost, doubled, moved or put into each other",
    share: 2,
    damage: (subject) => {
      const { random } = subject
      const events = eventsOf(subject)
      let first = events.length
      for (let count = 1 + random(3); count > 0 && events.length > 0; count--) {
        const from = random(events.length)
        const to = random(events.length)
        const event = events[from] ?? Buffer.alloc(0)
        const way = random(4)
        if (way === 0) events.splice(from, 1)
        else if (way === 1) events.splice(to, 0, ...events.splice(from, 1))
        else if (way === 2) events.splice(to, 0, event)
        else events[to] = replaced(events[to] ?? event, random(20), 20, event)
        first = Math.min(first, from, to)
      }
      return { bytes: Buffer.concat(events), from: subject.ends[first - 1] ?? 0 }
    },
  },
  {
    name: "with a name or a text in its JSON emptied, changed or turned into something else",
    share: 1,
    damage: ({ bytes, random }) => {
      // latin1 has one character a byte
      const strings = [...bytes.toString("latin1").matchAll(/"(?:[^"\\\n]|\\.)*"/g)]
      const found = strings[random(strings.length)]
      if (found === undefined) return { bytes, from: 0 }
      const values = ['""', '"x"', "null", "0", "{}", "[]"]
      // a name stays one, or nothing could be read any more
      const isName = bytes[found.index + found[0].length] === 0x3a
      const by = Buffer.from(isName ? '"renamed"' : (values[random(values.length)] ?? '""'))
      return { bytes: replaced(bytes, found.index, found.index + found[0].length, by), from: found.index }
    },
  },
  {
    name: "with an event whose JSON breaks off",
    share: 1,
    damage: (subject) => {
      const events = eventsOf(subject)
      const at = subject.random(events.length)
      const text = events[at]?.toString() ?? ""
      const [json = ""] = /\{.*\}/.exec(text) ?? []
      // an event of nothing at all would be none
      const cut = json.slice(0, 1 + subject.random(Math.max(json.length - 1, 1)))
      events[at] = Buffer.from(text.replace(json, () => cut))
      const from = subject.ends[at - 1] ?? 0
      return { bytes: Buffer.concat(events), from, answer: "unless-error" }
    },
  },
  {
    name: "that only looks unusual is no damage",
    share: 1,
    damage: (subject) => {
      const text = subject.bytes.toString().replaceAll("\r\n", "\n")
      const forms = subject.ndjson ? unusualLines : unusualEvents
      const form = forms[subject.random(forms.length)] as (text: string) => string
      return { bytes: Buffer.from(form(text)), from: 0, answer: "same" }
    },
  },
]

const spaces = " ".repeat(300_000)

const unusualLines: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => text.replaceAll("\n", "\n\n"),
  (text) => text.trimEnd(),
  (text) => `\n${text}\n\n`,
  (text) => text.replace(/\{/, `{${spaces}`),
  (text) => text,
]

const unusualEvents: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => text.replaceAll("\n", "\r"),
  (text) => text.replaceAll("\n\n", "\n\n: a comment\n\n"),
  (text) => text.replaceAll("\n\n", "\n\n\n\n"),
  (text) => `: hello\nretry: 100\n\n${text}`,
  (text) => text.replaceAll(/^data: ?/gm, "data:"),
  (text) => text.trimEnd(),
  (text) => text.replace(/^(data: ?)\{/m, (_, head: string) => `${head}{${spaces}`),
  (text) => `\uFEFF${text}`,
  (text) => text,
]
