import { expect, it } from "vitest"
import { readCommand } from "./read-command.ts"

it.each([
  "ls (rm x",
  "ls (",
  "ls; ls (",
  "echo $(ls (rm)",
  "echo `ls (rm`",
  "echo `echo \\`ls (rm\\``",
  "f() { ls (rm; }",
  "x=1 (ls",
])("something is left over in %s", (source) => {
  expect(readCommand(source).obscure).toMatch(/parsed/)
})

it.each([
  "",
  "ls",
  "ls a  b\tc \\\n d",
  "ls # a (b",
  "ls; # a (b\nls &\n\nls",
  "cat <<E >x # (\n(a\nE\nls",
  "echo `echo \\`ls a\\`` b",
  "x=1 y=(a b) ls 2>&1 <a",
  "if ls; then ls; fi",
  "f() { ls; }; (ls; ls)",
])("nothing is left over in %s", (source) => {
  expect(readCommand(source).obscure).toBeUndefined()
})
