/** The modes of tree entries, in octal with six digits. */

export const folderMode = "040000";
export const symlinkMode = "120000";
export const submoduleMode = "160000";
/** In diffs: the path does not exist on this side. */
export const absentMode = "000000";
