/** The configuration of a command: flags override the configuration file, which overrides the defaults. */

import { processRoles } from "#instance/clusterRoles";
import {
  type Configuration,
  readConfigurationFile,
  type Settings,
  withDefaults,
} from "#instance/configuration";
import { absolutePath, fieldIfDefined } from "#instance/settingValues";
import type { Flags } from "./flags";

/** The flags that errors name instead of the settings that they override. */
const flagOfSetting: Partial<Record<keyof Settings, string>> = {
  publicUrl: "public-url",
  allowedHosts: "allowed-host",
  allowedOrigins: "allowed-origin",
  database: "database",
};

/** Throws USAGE for invalid flags and settings. Paths in flags are relative to the current folder. */
export function readConfiguration(
  flags: Flags,
  currentFolder: string,
  defaultDataDir: string,
): Configuration {
  const configPath = flags.text("config");
  const file = configPath === undefined ? undefined : absolutePath(configPath, currentFolder);
  const settings = file === undefined ? {} : readConfigurationFile(file);
  const dataDir = flags.text("data-dir");
  const anonymous = flags.choice("anonymous", ["on", "off"]);
  const dependencies = flags.choice("dependencies", ["on", "off"]);
  const configuration = withDefaults(
    {
      ...settings,
      ...fieldIfDefined("role", flags.choice("role", processRoles)),
      ...fieldIfDefined("host", flags.text("host")),
      ...fieldIfDefined("port", flags.integer("port", 0, 65_535)),
      ...fieldIfDefined("dataDir", dataDir === undefined ? undefined : absolutePath(dataDir, currentFolder)),
      ...fieldIfDefined("anonymous", anonymous === undefined ? undefined : anonymous === "on"),
      ...fieldIfDefined("dependencies", dependencies === undefined ? undefined : dependencies === "on"),
      ...fieldIfDefined("publicUrl", flags.text("public-url")),
      ...fieldIfDefined("allowedHosts", flags.texts("allowed-host")?.slice()),
      ...fieldIfDefined("allowedOrigins", flags.texts("allowed-origin")?.slice()),
      ...fieldIfDefined("database", flags.text("database")),
    },
    defaultDataDir,
    (setting) => {
      const flag = flagOfSetting[setting];
      const isFlag = flag !== undefined && (flags.has(flag) || file === undefined);
      return isFlag ? `--${flag}` : `${file}: "${setting}"`;
    },
  );
  return file === undefined ? configuration : { ...configuration, source: { file, settings } };
}
