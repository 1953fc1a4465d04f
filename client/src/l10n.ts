/** Words of the person's language, for files that know no VS Code: `vscode.l10n` is one of these. */
export interface L10n {
  t(message: string, ...values: (string | number)[]): string;
}
