import type { Audit } from "#access/audit";
import type { InstalledLicense } from "#access/installedLicense";
import type { Service } from "#contract/service";

export interface LicenseHandlerOptions {
  readonly license: InstalledLicense;
  readonly audit: Audit;
}

export function licenseHandlers({
  license,
  audit,
}: LicenseHandlerOptions): Pick<Service, "license" | "installLicense" | "resetClock"> {
  return {
    license: () => license.state(),
    async installLicense({ license: token }, context) {
      const record = await audit.recordBuilder(context);
      return await license.install(token, ({ id }) =>
        record({ action: "license.installed", targetType: "org", metadata: { license: id } }),
      );
    },
    async resetClock(_request, context) {
      const record = await audit.recordBuilder(context);
      return await license.resetClock(() => record({ action: "license.clock_reset", targetType: "org" }));
    },
  };
}
