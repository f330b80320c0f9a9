/** The least that reads an event stream: what follows `data:` in each line, but not `[DONE]`. */
export function sseReader(onData) {
  let rest = ""
  return (text) => {
    rest += text
    let from = 0
    for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n", from)) {
      if (end > from + 6 && rest.charCodeAt(from) === 100 && rest.charCodeAt(from + 6) !== 91)
        onData(rest.slice(from + 5, end))
      from = end + 1
    }
    rest = rest.slice(from)
  }
}
