import { symlinkSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { FileRoot } from "../files/file-root.ts"
import { TempFolder } from "../fixtures/temp-folder.ts"
import { allows } from "./command-rules.ts"
import { readCommand } from "./read-command.ts"

function scene() {
  const folder = new TempFolder({ "p/a.ts": "a", "p/src/b.ts": "b", "out/secret": "s" })
  symlinkSync(folder.at("out"), folder.at("p/link"))
  symlinkSync(folder.at("out/secret"), folder.at("p/filelink"))
  const root = new FileRoot(folder.at("p"))
  return { folder, isReadOnly: (line: string): boolean => allows([], readCommand(line), root) }
}

describe("commands that are proven to only read", () => {
  it.each([
    "ls",
    "ls -la src",
    "pwd",
    "cat a.ts",
    "cat -n a.ts src/b.ts",
    "head -5 a.ts",
    "head -n 5 a.ts",
    "tail -n +2 a.ts",
    "wc -l a.ts",
    "grep -rn 'a/b' src",
    "grep -i x a.ts | head",
    "rg -n foo src",
    "find . -name '*.ts' -not -path '*/node_modules/*'",
    "find src -type f -maxdepth 2",
    "git status",
    "git status --short",
    "git log --oneline -5",
    "git diff --stat main..HEAD",
    "git diff HEAD~1 -- a.ts",
    "git show HEAD:a.ts",
    "git branch -a",
    "git rev-parse --abbrev-ref HEAD",
    "git ls-files",
    "git --no-pager log",
    "git stash list",
    "git remote -v",
    "echo hi",
    'echo "$HOME: $?"',
    "sort a.ts | uniq -c",
    "sed -n '1,5p' a.ts",
    "sed -n 3p a.ts",
    "test -f a.ts && echo yes",
    "[ -d src ] || echo no",
    "true",
    "date +%F",
    "which node",
    "command -v node",
    "node --version",
    "diff a.ts src/b.ts",
    "du -sh src",
    "stat a.ts",
    "timeout 5 ls",
    "ls 2>/dev/null",
    "ls > /dev/null 2>&1",
    "cat < a.ts",
    "printf '%s' x",
    "ls 'a b'",
    "tree -L 2 src",
    "xargs",
    "cat a.ts - < a.ts",
  ])("%s", (line) => {
    expect(scene().isReadOnly(line)).toBe(true)
  })

  it.each([
    // writing, running, changing
    "rm a.ts",
    "touch x",
    "ls > x",
    "ls >> a.ts",
    "echo x > a.ts",
    "tee x",
    "sort -o x a.ts",
    "sort --output=x a.ts",
    "sort --compress-program=x a.ts",
    "uniq a.ts b.ts",
    "find . -delete",
    "find . -exec rm {} +",
    "find . -fprint x",
    "find . -fls x",
    "find -L .",
    "tree -o x",
    "sed -i s/a/b/ a.ts",
    "sed -n 'w x' a.ts",
    "sed -n '1e ls' a.ts",
    "sed 1p a.ts",
    "date -s x",
    "date 010100002026",
    "hostname x",
    "git push",
    "git checkout x",
    "git branch new",
    "git branch -D x",
    "git tag v1",
    "git stash",
    "git remote add a b",
    "git log --output=x",
    "git log --outp=x",
    "git diff --ext-diff",
    "git diff --ext",
    "git diff -O x",
    "git grep -O x",
    "git config a b",
    "git reflog expire",
    "rg --pre x y",
    "rg -z x",
    "file -C -m x",
    "xxd a b",
    "awk 1 a.ts",
    "env",
    "printenv",
    "printf -v x y",
    "node x.js",
    "npm test",
    "python3 -c x",
    "ps",
    "curl x",
    // reading elsewhere
    "cat /etc/passwd",
    "cat ../out/secret",
    "cat src/../../out/secret",
    "cat ~/x",
    "cat link/secret",
    "cat filelink",
    "ls link",
    "ls /",
    "cat < ../out/secret",
    "head -n 5 /etc/passwd",
    "grep x /etc/passwd",
    "grep -f /etc/passwd a.ts",
    "grep -e x /etc/passwd",
    "grep -ex /etc/passwd",
    "grep -R x .",
    "rg x /etc",
    "rg --files /etc",
    "rg -e x /etc",
    "find / -name x",
    "find .. -name x",
    "wc --files0-from=../out/secret",
    "du --files0-from=x",
    "diff a.ts /etc/passwd",
    "git diff --no-index a.ts /etc/passwd",
    "git diff a.ts /etc/passwd",
    "git -C /x log",
    "cat link/../../x",
    "sed -n 1p /etc/passwd",
    "stat /etc/passwd",
    "git blame --contents x a.ts",
    "tail -f /var/log/syslog",
    // not known before it runs
    "cat *.ts",
    "cat $X",
    "cat {a,b}.ts",
    "ls $(echo a)",
    "echo $SECRET_TOKEN",
    "echo *",
    "echo ${a:-b}",
    "cat `echo a`",
    "for f in a; do cat $f; done",
    "xargs cat",
    "cat a.ts | sh",
    // not where it was
    "cd / && cat etc/passwd",
    "cd src && cat b.ts",
    "bash -c 'cd /; ls'",
    "A=1 ls",
    "PATH=. ls",
    "/bin/ls",
    "./ls",
    "ls() { rm x; }; ls",
  ])("not: %s", (line) => {
    expect(scene().isReadOnly(line)).toBe(false)
  })

  it("include nothing where the folder is gone", () => {
    const { folder } = scene()
    const gone = new FileRoot(folder.at("nowhere"))
    expect(allows([], readCommand("cat a.ts"), gone)).toBe(false)
    expect(allows([], readCommand("pwd"), gone)).toBe(true)
  })
})
