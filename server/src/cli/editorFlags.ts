import type { Flag } from "./flags";

/** Flags that language clients append to the command line. */
export const editorFlags: readonly Flag[] = [
  { name: "stdio", description: "Speak the Language Server Protocol on standard input and output." },
  {
    name: "node-ipc",
    isHidden: true,
    description: "Speak LSP over Node's IPC channel to the parent process.",
  },
  { name: "pipe", value: "NAME", isHidden: true, description: "Speak LSP over this pipe or Unix socket." },
  { name: "socket", value: "PORT", isHidden: true, description: "Speak LSP over this TCP port." },
  { name: "clientProcessId", value: "PID", isHidden: true, description: "Exit when this process exits." },
];

/** Whether a first argument implies `serve`, because some language clients pass only their flags. */
export function startsServer(arg: string): boolean {
  return editorFlags.some((flag) => arg === `--${flag.name}` || arg.startsWith(`--${flag.name}=`));
}
