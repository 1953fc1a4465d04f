/** The tools for agents, in the order in which clients list them. */
import { diff } from "./diff";
import { find } from "./find";
import { grep } from "./grep";
import { history } from "./history";
import { outline } from "./outline";
import { read } from "./read";
import { repos } from "./repos";
import type { Tool } from "./tool";
import { uses } from "./uses";

export const tools: readonly Tool[] = [grep, find, read, outline, uses, history, diff, repos];
