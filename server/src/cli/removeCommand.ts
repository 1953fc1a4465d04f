import { absolutePath, readConfiguration } from "./configuration";
import { type Flags, usage } from "./flags";
import type { House } from "./instance";
import { harmless } from "./terminal";
import { counted } from "./units";

export async function removeCommand(house: House, flags: Flags): Promise<number> {
  if (flags.words.length === 0) throw usage("remove needs a PATH.");
  const instance = await house.open(
    readConfiguration(flags, house.currentFolder, house.defaultDataDir),
    "change",
  );
  try {
    const paths = flags.words.map((path) => absolutePath(path, house.currentFolder));
    const { repositories, excluded } = await instance.caller(
      "removePaths",
      { paths },
      { credentials: { kind: "local" }, signal: house.interrupted },
    );
    const lines = repositories.map((name) => `Forgot ${harmless(name)}\n`);
    const total = `${counted(repositories.length, "repository", "repositories")} forgotten.\n`;
    const rest = excluded.map(
      (path) => `${harmless(path)} is passed over from now on; "trawl index" with this path adds it again.\n`,
    );
    await house.terminal.print(lines.join("") + total + rest.join(""));
    return 0;
  } finally {
    await instance.close();
  }
}
