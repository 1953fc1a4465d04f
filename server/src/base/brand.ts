/** A value that must not be mixed up with others of its shape. Made by one checked function each. */
export type Brand<Value, Name extends string> = Value & { readonly __brand: Name };
