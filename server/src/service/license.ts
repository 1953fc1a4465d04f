import type { InstalledLicense } from "#access/installedLicense";
import type { Service } from "#contract/service";

export function licenseHandlers(license: InstalledLicense): Pick<Service, "license" | "installLicense"> {
  return {
    license: () => license.state(),
    installLicense: ({ license: token }) => license.install(token),
  };
}
