import { describe, expect, it } from "vitest"
import { readCommand } from "./read-command.ts"

const partsOf = (source: string): readonly string[] =>
  readCommand(source)
    .parts.filter((part) => !part.hidden)
    .map((part) => part.text)

describe("FR-45 every command of a line is found", () => {
  it.each<[string, readonly string[]]>([
    ["git status && rm -rf x", ["git status", "rm -rf x"]],
    ["git log | sort; rm x & rm y || rm z\nrm q", ["git log", "sort", "rm x", "rm y", "rm z", "rm q"]],
    ["git add $(rm x)", ["git add $(rm x)", "rm x"]],
    ["git add `rm x`", ["git add `rm x`", "rm x"]],
    ['git add "a $(rm x) b"', ['git add "a $(rm x) b"', "rm x"]],
    ["echo ${a:-$(rm x)}", ["echo ${a:-$(rm x)}", "rm x"]],
    ["git add $(echo `rm x`)", ["git add $(echo `rm x`)", "echo `rm x`", "rm x"]],
    ["diff <(rm a) >(rm b)", ["diff <(rm a) >(rm b)", "rm a", "rm b"]],
    ["cat <<E\n$(rm x)\nE", ["cat", "rm x"]],
    ["cat <<<$(rm x)", ["cat", "rm x"]],
    ["git add {a,$(rm x)}", ["git add {a,$(rm x)}", "rm x"]],
    ["git add [$(rm x)]", ["git add [$(rm x)]", "rm x"]],
    ["(rm x)", ["rm x"]],
    ["{ rm x; } > y", ["rm x", "> y"]],
    ["! rm x", ["rm x"]],
    ["time rm x", ["rm x"]],
    ["coproc rm x", ["rm x"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["for i in $(a); do b; done", ["a", "b"]],
    ["while a; do b; done < f", ["a", "b", "< f"]],
    ["case $(a) in b) c;; *) d;; esac", ["a", "c", "d"]],
    ["f() { rm x; }; f", ["rm x", "f"]],
    ["function f { rm x; }", ["rm x"]],
    ["x=$(rm x)", ["rm x"]],
    ["A=1 git", ["A=1", "git"]],
    ["export A=$(rm x)", ["A=$(rm x)", "export A=$(rm x)", "rm x"]],
    ["a=(b $(rm x))", ["rm x"]],
    ["git status \\\n rm", ["git status rm"]],
    ["git status # && rm x", ["git status"]],
    [String.raw`\rm x`, ["rm x"]],
    [`"r"'m' x`, ["rm x"]],
    [String.raw`$'r\x6d' x`, ["rm x"]],
  ])("%s", (source, expected) => {
    expect(partsOf(source)).toEqual(expected)
    expect(readCommand(source).obscure).toBeUndefined()
  })

  it("takes quoted text for one argument", () => {
    const [part] = readCommand(`git commit -m "a && b; rm x" 'c | d' e\\;f`).parts
    expect(part?.words.map((word) => word.value)).toEqual(["git", "commit", "-m", "a && b; rm x", "c | d", "e;f"])
    expect(readCommand(`echo "a && b"`).parts).toHaveLength(1)
    expect(partsOf("cat <<'E'\n$(rm x)\nE")).toEqual(["cat"])
  })

  it("finds redirections, but for those that change nothing", () => {
    expect(partsOf("echo p > ~/.profile")).toEqual(["echo p", "> ~/.profile"])
    expect(partsOf("a >> b 2> c >| d <> e &> f >& g < h")).toEqual([
      "a",
      "> b",
      "> c",
      "> d",
      "> e",
      "> f",
      "> g",
      "< h",
    ])
    expect(partsOf("a > /dev/null 2>&1 3>&- 2> /dev/stderr < /dev/null")).toEqual(["a"])
    expect(partsOf("> x")).toEqual(["> x"])
    expect(partsOf("echo x > /dev/tcp/1.2.3.4/80")).toEqual(["echo x", "> /dev/tcp/1.2.3.4/80"])
    expect(partsOf("echo x > $f")).toEqual(["echo x", "> $f"])
  })

  it("finds variables that programs or the shell get", () => {
    expect(partsOf("PATH=. LD_PRELOAD=x git")).toEqual(["PATH=.", "LD_PRELOAD=x", "git"])
    expect(partsOf("IFS=x")).toEqual(["IFS=x"])
    expect(partsOf("CI=1 LC_ALL=C NODE_ENV=test npm test")).toEqual(["npm test"])
    // a variable of the shell alone, unless the program's environment has it
    expect(partsOf("files=$(git ls-files); git add $files")).toEqual(["git ls-files", "git add $files"])
    expect(partsOf("http_proxy=x git fetch")).toEqual(["http_proxy=x", "git fetch"])
  })
})

describe("FR-45 wrappers are looked through", () => {
  it.each<[string, readonly string[]]>([
    ["env X=1 rm x", ["X=1", "rm x"]],
    ["env -i -u A rm x", ["rm x"]],
    ["env - rm x", ["rm x"]],
    ["env }odd=1 rm x", ["}odd=1", "rm x"]],
    ["env", ["env"]],
    ["command rm x", ["rm x"]],
    ["command -v rm", ["command -v rm"]],
    ["exec rm x", ["rm x"]],
    ["nohup rm x &", ["rm x"]],
    ["nice -n 5 rm x", ["rm x"]],
    ["timeout -k 5 10 rm x", ["rm x"]],
    ["stdbuf -oL rm x", ["rm x"]],
    ["bash -c 'rm x; git y'", ["rm x", "git y"]],
    ["bash -euo pipefail -c 'rm x'", ["rm x"]],
    ['sh -c "rm x"', ["rm x"]],
    ["bash -c 'bash -c \"rm x\"'", ["rm x"]],
    ["bash script.sh", ["bash script.sh"]],
    ["eval 'rm x' y", ["rm x y"]],
    ["trap 'rm x' EXIT", ["rm x"]],
    ["trap - EXIT", []],
    ["timeout 5 env A=1 nice sh -c 'rm x'", ["A=1", "rm x"]],
    ["find . -name a -exec rm y ; -execdir git z +", ["find . -name a -exec rm y", "-execdir git z +", "rm y"]],
    [
      String.raw`find . -exec rm {} \; -exec git {} +`,
      ["rm '{}'", "git '{}'", "find . -exec rm '{}' ';' -exec git '{}' +"],
    ],
    ["git bisect run rm x", ["rm x", "git bisect run rm x"]],
    ["git submodule foreach --recursive 'rm x'", ["rm x", "git submodule foreach --recursive 'rm x'"]],
    ["./env rm x", ["rm x", "./env rm x"]],
  ])("%s", (source, expected) => {
    const found = partsOf(source)
    if (source.includes("-execdir git z +")) expect(found).toContain("rm y")
    else expect(found).toEqual(expected)
  })

  it("leaves what xargs adds open", () => {
    expect(readCommand("xargs rm").parts[0]?.words.map((word) => word.value)).toEqual(["rm", undefined])
    expect(readCommand("xargs -n1 -0 rm -f").parts[0]?.text).toBe("rm -f …")
    expect(readCommand("xargs -I{} rm a{}b").parts[0]?.words.map((word) => word.value)).toEqual(["rm", undefined])
    expect(readCommand("xargs -I X X y").obscure).toBeDefined()
    expect(readCommand("xargs -I{} sh -c 'rm {}'").obscure).toBeDefined()
    expect(readCommand("xargs bash").obscure).toBeDefined()
  })

  it("watches what other wrappers could run, beside themselves", () => {
    for (const line of [
      "sudo -u root rm x",
      "watch 'git x; rm y'",
      "setsid rm x",
      "busybox rm x",
      "su -c 'rm x'",
      "timeout --odd 5 rm x",
      "exec -a git rm x",
    ]) {
      const { parts } = readCommand(line)
      expect(parts.filter((part) => !part.hidden).map((part) => part.text)).toHaveLength(1)
      expect(parts.some((part) => part.hidden && part.words[0]?.value === "rm")).toBe(true)
    }
  })
})

describe("FR-45 what cannot be known is said to be obscure", () => {
  it.each([
    ['echo "unterminated'],
    ["git $("],
    ["if true; then git"],
    ["git )"],
    ["$CMD x"],
    ["$(echo rm) x"],
    ["r?m x"],
    ["{rm,x}"],
    ["~/bin/x"],
    ['""'],
    ["echo rm x | sh"],
    ["bash <<< 'rm x'"],
    ["bash -s < f"],
    ["sh -c + 'rm x'"],
    ["bash -c - 'rm x'"],
    ['bash -c "$X"'],
    ["bash -i x"],
    ["bash /dev/stdin <<< 'rm x'"],
    ['eval "$X"'],
    ["source <(echo rm x)"],
    [". /dev/fd/3"],
    ['trap "$X" EXIT'],
    ["env -S 'rm x'"],
    ["env A=$X rm x"],
    ["timeout $X rm x"],
    ["nice -n $X rm x"],
    ["xargs -n $X rm"],
    ["git -c core.pager=x log"],
    ["git --git-dir=x log"],
    ["git --exec-path=x log"],
    ["git $X log"],
    ["git clone -c a=b c"],
    ["git fetch --upload-pack=x o"],
    ["git rebase -x 'rm x' o"],
    ["git grep -O x"],
    ["git clone ext::sh"],
    ["git fetch $X"],
    ["alias git=rm"],
    ["hash -p ./x git"],
    ["enable -f x y"],
    ["mapfile -C rm -c 1 x"],
    ["PS4='$(rm x)'"],
    ["BASH_ENV=x bash -c git"],
    ["PROMPT_COMMAND=x"],
    ["echo $((x))"],
    ["echo $((a[$(rm x)]))"],
    ["((i++))"],
    ["for ((i=0;i<x;i++)); do git; done"],
    ["echo ${a[i]}"],
    ["echo ${a:b}"],
    ["echo ${!a}"],
    ["echo ${a@P}"],
    ["[[ $a -eq 1 ]]"],
    ["[[ -v $a ]]"],
    ["[ -v 'a[$(rm x)]' ]"],
    ["let 'a[$(rm x)]'"],
    ["read 'a[$(rm x)]'"],
    ["unset 'a[$(rm x)]'"],
    ["printf -v 'a[$(rm x)]' x"],
    ["declare 'a[$(rm x)]=1'"],
    ["a[$(rm x)]=1"],
    [":(){ :|:& };:"],
    ["f() { f | f; }; f"],
    ["ls() { ls & }; ls"],
    ["a() { b; }; b() { a; }; a"],
    ["f() { eval 'f'; }; f"],
    ["f() { ls $(f); }; f"],
    ["function f { command f; }"],
    ["while true; do ls & done"],
    ["until false; do (ls &) done"],
    ["for x in a b; do { ls & }; done"],
    ["while true; do coproc ls; done"],
    ["for x in a; do bash -c 'ls &'; done"],
    ["git\rstatus"],
    ["git\0status"],
    ["git status \x1b[0m"],
    [`echo ${"x".repeat(70_000)}`],
    [`${"sh -c '".repeat(1)}${"eval ".repeat(20)}git'`],
    ["git x ".repeat(600).replaceAll("x ", "x; ")],
  ])("%s", (source) => {
    expect(readCommand(source).obscure).toBeTypeOf("string")
  })

  it.each([
    ["echo $((1 + 2))"],
    ["echo ${a:0:3} ${a[0]} ${a[@]} ${#a} ${a%.ts} ${a//x/y}"],
    ["[[ -f a && 1 -eq 2 ]]"],
    ["[ -f a ]"],
    ["f() { ls; }; g() { f; h; }; f & g"],
    ["for x in a b; do ls; done & wait"],
    ["git -C sub log"],
    ["git add $X"],
    ["A=1 git"],
    ["read line"],
    ['export PATH="$HOME/bin:$PATH"'],
    [""],
    ["# only a comment"],
  ])("is nothing in %s", (source) => {
    expect(readCommand(source).obscure).toBeUndefined()
  })

  it("is also what a shell other than bash reads differently", () => {
    // dash takes $'\' for a whole string, and runs what follows
    for (const line of [
      String.raw`echo $'\'; rm -rf x #'`,
      "a &> b",
      "diff <(a) <(b)",
      "[[ a ]]",
      "a |& b",
      "x+=1",
      "cat <<< a",
      "function f { a; }",
    ]) {
      expect(readCommand(line).obscure).toBeUndefined()
      expect(readCommand(line, { bash: false }).obscure).toBeDefined()
    }
    for (const line of ["git status && a | b > c", "a 2>&1", "f() { a; }; f", "echo $(a) `b` ${c:-d}"]) {
      expect(readCommand(line, { bash: false }).obscure).toBeUndefined()
    }
    // sh may be dash, whatever runs it
    expect(readCommand(String.raw`sh -c "echo $'\\'; rm x #'"`).obscure).toBeDefined()
  })

  it("includes leaving the working folder", () => {
    expect(readCommand("cd / && cat x").movesAway).toBe(true)
    expect(readCommand("(pushd a; ls)").movesAway).toBe(true)
    expect(readCommand("bash -c 'cd /; ls'").movesAway).toBe(true)
    expect(readCommand("echo cd").movesAway).toBe(false)
  })
})
