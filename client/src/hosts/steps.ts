/** Steps of a dialog in the quick input: lists and boxes with a button to go back. */
import * as vscode from "vscode";

/** What the user did instead of answering. */
export const back = Symbol("back");
/** The step does not apply; going back skips it too. */
export const skip = Symbol("skip");

/** Returns the answers with its own added; `undefined` if the user canceled. */
export type Step<Answers> = (
  answers: Answers,
  position: StepPosition,
) => Promise<Answers | typeof back | typeof skip | undefined>;

export interface StepPosition {
  readonly canGoBack: boolean;
}

/** Asks all steps. Going back keeps the answers, which the steps suggest again. Returns `undefined` if canceled. */
export async function askSteps<Answers>(
  steps: readonly Step<Answers>[],
  first: Answers,
  start = 0,
): Promise<Answers | undefined> {
  let answers = first;
  const asked: number[] = steps.map((_, at) => at).filter((at) => at < start);
  for (let at = start; at < steps.length; ) {
    const result = await steps[at]?.(answers, { canGoBack: asked.length > 0 });
    if (result === undefined) return undefined;
    if (result === back) {
      at = asked.pop() ?? 0;
      continue;
    }
    if (result !== skip) {
      answers = result;
      asked.push(at);
    }
    at++;
  }
  return answers;
}

interface StepTexts extends StepPosition {
  readonly title: string;
  readonly placeholder: string;
}

/** Lets the user choose an item. `active` is the label of the item that is suggested. */
export async function pickStep<Item extends vscode.QuickPickItem>(
  items: readonly Item[],
  { title, placeholder, canGoBack, active }: StepTexts & { readonly active?: string | undefined },
): Promise<Item | typeof back | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = title;
  picker.placeholder = placeholder;
  picker.matchOnDescription = true;
  picker.items = items;
  picker.activeItems = items.filter(({ label }) => label === active);
  return shown(picker, canGoBack, () => picker.selectedItems[0]);
}

/** Lets the user type a text. `check` returns what is wrong with it. */
export async function textStep({
  title,
  placeholder,
  prompt,
  value,
  canGoBack,
  isSecret = false,
  check,
}: StepTexts & {
  readonly prompt: string;
  readonly value: string;
  /** Whether the text is hidden. */
  readonly isSecret?: boolean;
  readonly check: (text: string) => string | vscode.InputBoxValidationMessage | undefined;
}): Promise<string | typeof back | undefined> {
  const box = vscode.window.createInputBox();
  box.title = title;
  box.placeholder = placeholder;
  box.prompt = prompt;
  box.password = isSecret;
  box.value = value;
  const validate = () => {
    box.validationMessage = check(box.value.trim());
  };
  box.onDidChangeValue(validate);
  return shown(box, canGoBack, () => {
    validate();
    const problem = box.validationMessage;
    const isWarning =
      typeof problem === "object" && problem.severity !== vscode.InputBoxValidationSeverity.Error;
    return problem === undefined || problem === "" || isWarning ? box.value.trim() : undefined;
  });
}

type StepInput = vscode.QuickInput & {
  buttons: readonly vscode.QuickInputButton[];
  readonly onDidAccept: vscode.Event<void>;
  readonly onDidTriggerButton: vscode.Event<vscode.QuickInputButton>;
};

/** Shows an input until it is accepted with a value, left or hidden. */
async function shown<Value>(
  input: StepInput,
  canGoBack: boolean,
  acceptedValue: () => Value | undefined,
): Promise<Value | typeof back | undefined> {
  input.ignoreFocusOut = true;
  input.buttons = canGoBack ? [vscode.QuickInputButtons.Back] : [];
  try {
    return await new Promise((resolve) => {
      input.onDidAccept(() => {
        const value = acceptedValue();
        if (value !== undefined) resolve(value);
      });
      input.onDidTriggerButton((button) => {
        if (button === vscode.QuickInputButtons.Back) resolve(back);
      });
      input.onDidHide(() => resolve(undefined));
      input.show();
    });
  } finally {
    input.dispose();
  }
}
