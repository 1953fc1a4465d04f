/**
 * `schemathesis.campaign.js PROGRAM [SECONDS]`
 *
 * Runs Schemathesis, an independent tester of OpenAPI documents, with all of its checks and phases against a running
 * instance. Exits with its exit code.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { startExampleOrganization } from "#test/support/exampleOrganization";
import { projectRoot } from "#test/support/house";
import { temporaryFolder } from "#test/support/repo";

const here = join(projectRoot(), "test/campaigns");

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  const [program = "schemathesis", seconds = "60"] = process.argv.slice(2);
  const { url, key, stop } = await startExampleOrganization(temporaryFolder());
  const { status, error } = spawnSync(
    program,
    [
      ["--config-file", join(here, "schemathesis.toml")],
      ["run", `${url}/api/openapi.json`, "--checks", "all", "--seed", "1", "--max-time", seconds],
      ["--header", `Authorization: Bearer ${key}`, "--continue-on-failure"],
    ].flat(),
    {
      cwd: temporaryFolder(),
      env: { ...process.env, NO_COLOR: "1", SCHEMATHESIS_HOOKS: "schemathesis_checks", PYTHONPATH: here },
      stdio: "inherit",
    },
  );
  await stop();
  if (error) throw error;
  process.exitCode = status ?? 1;
}
