/** Runs the steps in Kakoune with kakoune-lsp, with interactive commands. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { eventually } from "#test/support/eventually";
import { documentedBlocks, type Home, killGroup, type Programs, runProgram, webFile } from "./home";
import { type ClientResults, type SeenLocation, steps } from "./steps";

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

export async function runKakoune(home: Home, programs: Programs): Promise<ClientResults> {
  const configuration = join(home.path, "config/kak");
  mkdirSync(configuration, { recursive: true });
  writeFileSync(join(configuration, "kakrc"), documentedBlocks("Kakoune", "kak").join("\n"));
  const env = { ...home.env, XDG_RUNTIME_DIR: home.path };
  const session = `trawl-${process.pid}`;
  const file = join(home.path, webFile);
  // Without input from a user interface; commands come over the session.
  const kak = spawn(programs["kak"] ?? "", ["-ui", "dummy", "-s", session, file], {
    cwd: home.folder,
    env,
    stdio: "ignore",
    detached: true,
  });
  const socket = join(home.path, "kakoune", session);
  const ended = new Promise<void>((resolve) => kak.on("close", () => resolve()));
  const results: Mutable<ClientResults> = {};
  let scripts = 0;
  try {
    await eventually(() => existsSync(socket), steps.timeLimitMs);
    await eventually(async () => (await read("%val{buffile}")).trim() === file, steps.timeLimitMs);
    for (const query of steps.symbols)
      await eventually(async () => (await symbols(query, 1000)).length > 0, steps.timeLimitMs);
    results.symbols = await eachOf(steps.symbols, (query) => symbols(query));
    results.definitions = await eachOf(steps.definitions, definition);
    results.hover = await hover(steps.hover);
    // Names follow the lines that draw the tree.
    results.outline = listed(await shownBy("lsp-document-symbol", "*goto*")).map(({ line, text = "" }) => ({
      line,
      text: text.replace(/^\W+/, ""),
    }));
    await goTo(steps.references);
    results.references = listed(await shownBy("lsp-references", "*goto*"));
    await execute(`execute-keys 'ggO${steps.edit.map(asKeys).join("<ret>")}<esc>'`);
    results.edited = {
      symbols: await eachOf(steps.editedSymbols, (query) => symbols(query)),
      definitions: await eachOf(steps.editedDefinitions, definition),
    };
  } catch (error) {
    const log = await read("%sh{ true }", "*debug*").catch(() => "");
    return { ...results, problem: `${error instanceof Error ? error.message : error}\n${log}` };
  } finally {
    execute("kill!").catch(() => undefined);
    const timer = setTimeout(() => killGroup(kak.pid), 5000);
    await ended;
    clearTimeout(timer);
  }
  return results;

  /** Runs commands in the window of the client, and waits until Kakoune has run them. */
  async function execute(commands: string): Promise<void> {
    const script = join(home.path, `commands${++scripts}.kak`);
    const done = `${script}.done`;
    writeFileSync(script, `${commands}\necho -to-file '${done}' done`);
    const message = `${script}.message`;
    writeFileSync(message, `evaluate-commands -client client0 %{ source '${script}' }`);
    const { code, output } = await runProgram("/bin/sh", ["-c", `exec kak -p ${session} <"${message}"`], {
      cwd: home.folder,
      env,
      timeLimitMs: 10_000,
    });
    if (code !== 0) throw new Error(`kak -p failed: ${output}`);
    await eventually(() => existsSync(done)).catch(() => {
      throw new Error(`Kakoune did not run: ${commands}`);
    });
  }

  /** Returns expansions in the window, or the text of a buffer; empty if it does not exist. */
  async function read(expansion: string, buffer?: string): Promise<string> {
    const target = join(home.path, "read.txt");
    const commands =
      buffer === undefined
        ? `echo -to-file '${target}' -- ${expansion}`
        : `evaluate-commands -buffer ${buffer} %{ write -force '${target}' }`;
    await execute(`try %{ ${commands} } catch %{ echo -to-file '${target}' '' }`);
    return readFileSync(target, "utf8");
  }

  /**
   * Returns the text that a command shows in its own buffer once it contains `word`, or nothing if it never does. Ignores
   * late responses to earlier commands.
   */
  async function shownBy(command: string, buffer: string, word = "", limitMs = 10_000): Promise<string> {
    await execute(`try %{ delete-buffer ${buffer} }\nbuffer '${file}'`);
    await execute(command);
    let text = "";
    const poll = async () => {
      if ((await read("%val{bufname}")).trim() !== buffer) return false;
      text = await read("", buffer);
      return text.includes(word);
    };
    const isShown = await eventually(poll, limitMs).then(
      () => true,
      () => false,
    );
    await execute(`buffer '${file}'`);
    return isShown ? text : "";
  }

  async function goTo(text: string): Promise<void> {
    const pattern = text.replaceAll(/[()]/g, "\\$&");
    await execute(`buffer '${file}'\nexecute-keys 'gg/${pattern}<ret><a-;>;'`);
  }

  async function location(): Promise<SeenLocation> {
    const [path = "", line = "0", isReadOnly = ""] = (
      await read("%val{buffile} %val{cursor_line} %opt{readonly}")
    ).split(" ");
    const text = await read(`%sh{ sed -n "\${kak_cursor_line}p" "$kak_buffile" }`);
    const column = Number(await read("%val{cursor_column}"));
    const name = /^\w+/.exec(
      Buffer.from(text)
        .subarray(column - 1)
        .toString("utf8"),
    )?.[0];
    return {
      path,
      line: Number(line),
      text,
      ...(name === undefined ? {} : { name }),
      // Root can write to read-only files.
      ...(process.getuid?.() === 0 ? {} : { isReadOnly: isReadOnly.trim() === "true" }),
    };
  }

  async function definition(text: string): Promise<SeenLocation[]> {
    await goTo(text);
    await execute("lsp-definition");
    await eventually(async () => (await read("%val{buffile}")).trim() !== file, 10_000).catch(
      () => undefined,
    );
    const found = await location();
    await execute(`buffer '${file}'`);
    return [found];
  }

  async function hover(text: string): Promise<string> {
    await goTo(text);
    return shownBy("lsp-hover-buffer", "*hover*");
  }

  async function symbols(query: string, limitMs?: number): Promise<SeenLocation[]> {
    return listed(await shownBy(`lsp-workspace-symbol ${query}`, "*symbols*", query, limitMs));
  }

  /** Reads lines `PATH:LINE:COLUMN: TEXT`. */
  function listed(text: string): SeenLocation[] {
    return text.split("\n").flatMap((line) => {
      const match = /^(.+?):(\d+):\d+:(.*)$/.exec(line);
      if (match === null) return [];
      const [, path = "", number, rest = ""] = match;
      const shown = path.startsWith("~/") ? join(home.path, path.slice(2)) : path;
      return [{ path: resolve(home.folder, shown), line: Number(number), text: rest }];
    });
  }
}

async function eachOf(keys: readonly string[], find: (key: string) => Promise<SeenLocation[]>) {
  const found: Record<string, SeenLocation[]> = {};
  for (const key of keys) found[key] = await find(key);
  return found;
}

function asKeys(text: string): string {
  return text.replaceAll("<", "<lt>").replaceAll("'", "''");
}
