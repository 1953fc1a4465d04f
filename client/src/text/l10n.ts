/** Localization for files that do not use VS Code; `vscode.l10n` implements it. */
export interface L10n {
  t(message: string, ...values: (string | number)[]): string;
}
