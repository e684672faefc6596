// Tells ken what each tool did. OpenCode calls this after a tool has run; nothing waits for the answer.
import { spawn } from "node:child_process"

export const Kenning = async ({ directory }) => ({
  "tool.execute.after": async (input, output) => {
    try {
      const code = output?.metadata?.exit
      const failed = typeof code === "number" && code !== 0
      const told = {
        session: input.sessionID,
        tool: input.tool,
        input: input.args,
        response: output?.output,
        error: failed ? output?.output : undefined,
        exit_code: typeof code === "number" ? code : undefined,
        cwd: directory,
      }
      const ken = spawn("ken", ["hook", "post-tool"], { stdio: ["pipe", "ignore", "ignore"] })
      ken.on("error", () => {})
      ken.stdin.on("error", () => {})
      ken.stdin.end(JSON.stringify(told))
    } catch {
      // Whatever goes wrong here is no trouble of the tool's.
    }
  },
})
