/** The kernels of this thread. */
import type { Kernels } from "./kernels";
import { PlainKernels } from "./plain";
import { hasSimd, SimdKernels } from "./simd";

let instance: Kernels | undefined;

/** Returns the instance of this thread. Callers must finish with its memory before they await anything. */
export function threadKernels(): Kernels {
  instance ??= hasSimd() ? new SimdKernels() : new PlainKernels();
  return instance;
}
