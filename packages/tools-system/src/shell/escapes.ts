import type { Options } from "./option-words.ts"

/** How a program can do more than its name says. */
export interface Escape extends Options {
  /** Operands beyond so many are written. */
  readonly most?: number
  /** Operands that are something else than the name says. */
  readonly operands?: RegExp
  /** Subcommands that run others or change what later ones do. */
  readonly subcommands?: RegExp
  /** It takes its program from the input where it gets no operand. */
  readonly reads?: boolean
}

const search: Escape = { long: "pager" }
const runsCode = (short: string, long = ""): Escape => ({ short, long, reads: true })
const runsOthers = (subcommands: RegExp, rest: Escape = {}): Escape => ({ subcommands, ...rest })

const escapes = new Map<string, Escape>([
  ["ag", search],
  ["ack", search],
  ["bat", { long: "pager" }],
  ["cargo", runsOthers(/^(?:run|r|install|\+.*)$/, { long: "config" })],
  ["composer", runsOthers(/^(?:exec|run-script|run|global)$/)],
  ["conda", runsOthers(/^(?:run|config)$/)],
  [
    "curl",
    {
      short: "oOKDcT",
      long: "output output-dir remote-name remote-name-all config dump-header cookie-jar trace trace-ascii stderr libcurl etag-save hsts alt-svc engine upload-file",
      words: /%output\{/,
    },
  ],
  ["date", { short: "s", long: "set", operands: /^\d{8}/ }],
  ["deno", runsOthers(/^(?:eval|run|x|install|task|repl)$/)],
  ["docker", runsOthers(/^(?:run|exec|cp|create|plugin|load|import|context)$/)],
  ["fd", { short: "xX", long: "exec exec-batch" }],
  ["file", { short: "C", long: "compile" }],
  // what -exec runs is judged by itself
  ["find", { words: /^-(?:delete|fprint0?|fprintf|fls)$/ }],
  [
    "go",
    runsOthers(/^(?:run|generate|install|tool|env)$/, {
      words: /^--?(?:exec|toolexec|vettool|o|C|overlay|modfile)(?:=|$)/,
    }),
  ],
  ["history", { short: "warn" }],
  ["hostname", { short: "Fb", long: "file boot", operands: /^/ }],
  ["java", { words: /^[-@]/ }],
  ["kubectl", runsOthers(/^(?:exec|run|cp|debug|apply|delete|plugin|edit)$/, { long: "kubeconfig" })],
  ["less", { short: "oOk", long: "log-file lesskey-file lesskey-src lesskey-content", words: /^\+/ }],
  [
    "make",
    {
      short: "fCEIo",
      long: "file makefile directory eval include-dir",
      operands: /=/,
    },
  ],
  ["man", { short: "PHC", long: "pager html config-file preprocessor gxditview" }],
  ["more", { words: /^\+/ }],
  ["nc", { short: "ec", long: "exec sh-exec" }],
  [
    "node",
    runsCode(
      "epr",
      "eval print require import loader experimental-loader env-file experimental-sea-config build-sea build-snapshot openssl-config diagnostic-dir report-dir redirect-warnings cpu-prof-dir heap-prof-dir trace-event-file-pattern",
    ),
  ],
  [
    "npm",
    // it takes the beginning of a subcommand for it, and one dash before the name of an option
    runsOthers(/^(?:x|e\w*|c|co\w*|cr\w*|set\w*|in[in]\w*|pac\w*|lin?k?|ln)$/, {
      short: "cC",
      long: "call script-shell prefix userconfig globalconfig node-options shell git editor viewer browser python node-gyp cache logs-dir init-module init.module",
      words: /^-(?!(?:ddd|iwr|silent|quiet|verbose|help|json)$)[a-z][a-z-]{2}/i,
    }),
  ],
  ["npx", { most: 0, short: "cp", long: "call package shell" }],
  ["openssl", { words: /^-(?:engine|provider-path|out|writerand)$/ }],
  ["perl", runsCode("eEipnMmIdsSx")],
  ["php", runsCode("rBREFaSzdt", "run process-begin process-code process-end")],
  ["pip", { long: "target prefix root editable config-settings", short: "te" }],
  ["pipenv", runsOthers(/^run$/)],
  ["pipx", runsOthers(/^run(?:pip)?$/)],
  ["poetry", runsOthers(/^(?:run|config)$/)],
  ["psql", { short: "co", long: "command output log-file", words: /\\/ }],
  ["python", runsCode("cm")],
  ["rg", { long: "pre hostname-bin search-zip", short: "z" }],
  ["rsync", { short: "e", long: "rsh rsync-path delete del remove-source-files log-file write-batch" }],
  ["ruby", runsCode("eirnpISCx")],
  ["scp", { short: "oFSD" }],
  ["sftp", { short: "oFSDb" }],
  ["socat", { words: /exec|system|shell|open|create/i }],
  ["sort", { short: "oT", long: "output compress-program temporary-directory" }],
  ["split", { long: "filter" }],
  ["sqlite3", { words: /^\.|^-|readfile|writefile|load_extension|edit\s*\(|attach|vacuum/i }],
  ["ssh", { short: "oFSEIJW", most: 1 }],
  [
    "tar",
    {
      short: "IFP",
      long: "to-command checkpoint-action use-compress-program rsh-command rmt-command info-script new-volume-script absolute-names remove-files index-file volno-file listed-incremental",
    },
  ],
  ["tree", { short: "oR", long: "output" }],
  ["uniq", { most: 1 }],
  ["unzip", { short: "d" }],
  ["uv", runsOthers(/^(?:run|tool)$/)],
  ["vi", { words: /^[-+]/ }],
  [
    "wget",
    {
      short: "OPeoai",
      long: "output-document directory-prefix execute use-askpass output-file append-output config",
    },
  ],
  ["xxd", { most: 1 }],
  ["yq", { short: "i", long: "inplace" }],
  ["zip", { short: "Tm", long: "unzip-command move test" }],
])
for (const [name, same] of [
  ["bsdtar", "tar"],
  ["bun", "npm"],
  ["bunx", "npx"],
  ["ex", "vi"],
  ["fdfind", "fd"],
  ["gmake", "make"],
  ["gtar", "tar"],
  ["ncat", "nc"],
  ["nodejs", "node"],
  ["nvim", "vi"],
  ["pip3", "pip"],
  ["pnpx", "npx"],
  ["podman", "docker"],
  ["python3", "python"],
  ["uvx", "npx"],
  ["view", "vi"],
  ["vim", "vi"],
] as const) {
  escapes.set(name, escapes.get(same) as Escape)
}
for (const name of ["pnpm", "yarn", "bun"]) {
  escapes.set(
    name,
    runsOthers(/^(?:exec|x|dlx|config|set|create|init|link|node)$/, {
      short: "cCep",
      long: "shell-mode script-shell prefix dir cwd use-yarnrc preload config eval print",
    }),
  )
}

/** The plain name of a program: `python3.12` is `python3`. */
const plainName = (name: string): string => name.replace(/(?<=^(?:python|perl|ruby|php|node|lua|pip)\d?)[\d.]+$/, "")

/** How a program can do more than its name says; `undefined` for one of which nothing is known. */
export function escapeOf(name: string): Escape | undefined {
  return escapes.get(plainName(name))
}
