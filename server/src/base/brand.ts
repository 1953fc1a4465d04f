/** A nominal type: keeps values of the same shape apart. */
export type Brand<Value, Name extends string> = Value & { readonly __brand: Name };
