/** Which documents of an editor override their files. */
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { createConnection } from "vscode-languageserver/node";
import { connectTo } from "#test/support/editor";
import { eventually, eventuallyEqual } from "#test/support/eventually";
import { temporaryFolder } from "#test/support/repo";
import { trackDocuments } from "#transport/lsp/documents";

test("a document that is saved while its file is read is no longer unsaved", async (t) => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const connection = createConnection(stdin, stdout);
  const documents = trackDocuments(connection);
  connection.listen();
  const client = connectTo({ stdin, stdout });
  client.listen();
  t.after(() => client.dispose());
  const open = async (path: string, text: string) => {
    const { href: uri } = pathToFileURL(path);
    await client.sendNotification("textDocument/didOpen", {
      textDocument: { uri, version: 1, languageId: "plaintext", text },
    });
    await eventually(() => documents.isOpen(uri));
    return uri;
  };
  const folder = temporaryFolder();
  // Reading it waits until something is written to it.
  const file = join(folder, "a.txt");
  spawnSync("mkfifo", [file]);
  const uri = await open(file, "new");
  const reading = documents.unsaved();
  await client.sendNotification("textDocument/didSave", { textDocument: { uri } });
  await open(join(folder, "missing.txt"), "handled after the notification");
  await writeFile(file, "old");
  await reading;
  await eventuallyEqual(
    async () => (await documents.unsaved()).map(({ path }) => path),
    [join(folder, "missing.txt")],
  );
});
