/** When the first line of the extension ran: its name sorts it before all else that is imported. */
export const activationStart = performance.now();
