import type { ModelErrorCode } from "./model-error.ts"

const subject = "(?:prompt|inputs?|context|request|messages?|conversation|tokens?)"
/** A prompt that does not fit. Each pattern needs both the thing that is too long and the limit that it passes. */
const overflow: readonly RegExp[] = [
  /context[_ ]length[_ ]exceeded|context ?window ?exceeded/,
  /(?:maximum|max|available|model's) context (?:length|window|size)/,
  /exceed(?:s|ed|ing)?\b.{0,40}\bcontext (?:length|window|size|limit)/,
  /context (?:length|window|size|limit) (?:is |was |has been )?(?:exceed|overflow|reached)/,
  /context(?: \w+)? overflow|context (?:length|window|size) of (?:only )?\d+\b.{0,20}\bnot enough/,
  /(?:larger|longer|bigger|greater) than (?:the |its )?(?:model's )?context/,
  /(?:larger|longer|bigger|greater) than (?:the |its )?(?:model's )?max(?:imum)? (?:model|input|prompt|sequence) len/,
  /prompt (?:is )?too (?:long|large)/,
  new RegExp(`\\b${subject} (?:is |are |was )?too (?:long|large) for (?:the |this )?(?:model|context)`),
  new RegExp(`\\b${subject} exceed(?:s|ed)? (?:the )?(?:model(?:'s)? )?(?:max(?:imum)? )?(?:token limit|length$)`),
  /input (?:is )?too long for requested model/,
  /(?:input|prompt) (?:tokens?|token count|length)\b.{0,40}\bexceed(?:s|ed)?\b.{0,60}\b(?:maximum|limit|allowed|max)/,
  /(?:input|prompt) (?:tokens?|token count|length) (?:is|of) \d+,? but .{0,40}\b(?:supports?|allows?)\b/,
  /tokens in (?:the |your )?(?:prompt|input|messages) (?:cannot|can't|can not|must not|may not|should not) exceed/,
  /\binputs?\W{1,3}must have (?:less|fewer) than \d+ tokens/,
  /range of input length should be/,
  /maximum prompt length is \d/,
  /reduce the length of (?:the |your )?(?:messages|prompt|input|conversation)/,
  /too many tokens in (?:the |your )?(?:prompt|input|messages)/,
  /(?:prompt|输入|提示词|上下文|请求|消息).{0,8}(?:超长|过长|太长|超(?:过|出)[^,,。]{0,12}(?:长度|上限|限制))/,
]
/** Those of a local server, which calls what it cannot take its own failure; all of them say that the limit was passed. */
const overflowByFailure: readonly RegExp[] = [
  /exceed(?:s|ed|ing)?\b.{0,40}\bcontext (?:length|window|size)/,
  /context (?:length|window|size) (?:is |was |has been )?exceeded/,
  /prompt is too (?:long|large)/,
]
/** The prompt and the room for the answer do not fit together: the prompt may be too long by itself. */
const sum = /\b(?:inputs?|prompt)\W{1,3}tokens\W{1,3}(?:\+|and|plus)\W{1,3}max_(?:new_)?tokens\b/
/** Limits of traffic or of the answer, which talk of tokens too. */
const traffic =
  /per[- ](?:second|min(?:ute)?|hour|day|month|week)|\b(?:tpm|rpm|tpd|rpd)\b|rate[- ]?limit|too many requests|quota|throttl|concurren/
const answer = /\bmax_?(?:completion_|output_|new_)?tokens\b.{0,60}\b(?:must|should|at most|less than|between|invalid)/

/** An account without money, whatever the status. */
const empty =
  /insufficient (?:account )?(?:balance|credits?|funds)|(?:balance|credits?|funds) (?:is|are) (?:insufficient|exhausted|used up)|used all (?:of )?(?:your |the )?(?:available )?credits|credit balance is too low|out of credits|余额不足|欠费/
const quota =
  /insufficient quota|exceeded your current quota|billing (?:details|hard limit|is not|issue)|payment required|arrears|overdue|usage limit reached|(?:reached|exceeded) your (?:\w+ ){0,2}api usage limits?|spend(?:ing)? limit|(?:not|n't) have any credits|(?<!thinking |token )budget has been exceeded/
/** A limit that lifts by itself: some providers use the words of an exhausted account for it. */
const passing = /retry in \d|try again in \d|per (?:second|minute)/

const filtered =
  /content (?:management )?(?:policy|filter)|safety (?:system|filter|settings)|inappropriate content|flagged (?:as|by)|violat\w+ .{0,30}(?:usage|content|safety) polic|content exists risk|considered high[- ]risk|contains? (?:\w+ or )?sensitive (?:information|content|words)|敏感|违规/
const overloaded = /overloaded|over capacity|at capacity|capacity (?:is )?(?:exceeded|exhausted)|server (?:is )?busy/
const timeout = /timed? ?out|deadline exceeded/

/** A key that is none; what a good key may not do is another matter. */
const key =
  /api[ _-]?key (?:\w+ )?(?:is |was |has )?(?:not valid|invalid|incorrect|expired|missing)|(?:invalid|incorrect|expired|unknown|missing|no valid) api[ _-]?key(?! (?:name|id)s?\b)/

/** Whether a message, in lower case, tells of a prompt that does not fit. */
export function tellsOverflow(text: string, status: number | undefined): boolean {
  if (text === "" || (status !== undefined && status > 500)) return false
  if (status === 401 || status === 403 || status === 429) return false
  if (traffic.test(text)) return false
  if (status === 500) return overflowByFailure.some((pattern) => pattern.test(text))
  if (sum.test(text)) return true
  return !answer.test(text) && overflow.some((pattern) => pattern.test(text))
}

/** Whether a message tells of an account that is used up, or of a limit of it that passes soon. */
export function tellsQuota(text: string, status: number | undefined): "quota_exceeded" | "rate_limited" | undefined {
  if (status === 401 || text === "") return undefined
  if (!empty.test(text) && (!quota.test(text) || (status !== undefined && status >= 500))) return undefined
  return passing.test(text) ? "rate_limited" : "quota_exceeded"
}

/** Whether a message tells of content that the provider holds back. */
export const tellsFilter = (text: string, status: number | undefined): boolean =>
  filtered.test(text) && (status === undefined || status < 500)

/** Whether a message tells of a key that is none, where the status does not say so. */
export const tellsKey = (text: string, status: number | undefined): boolean =>
  key.test(text) && (status === undefined || status === 400)

/** What a message tells of trouble on the other side. */
export function troubleTold(text: string): ModelErrorCode | undefined {
  if (overloaded.test(text)) return "overloaded"
  return timeout.test(text) ? "timeout" : undefined
}
