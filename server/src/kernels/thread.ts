/** The kernels of this thread. */
import type { Kernels } from "./kernels";
import { PlainKernels } from "./plain";
import { hasSimd, SimdKernels } from "./simd";

let instance: Kernels | undefined;

/** One instance for all that runs on this thread: whoever fills its memory is done with it before he waits. */
export function threadKernels(): Kernels {
  instance ??= hasSimd() ? new SimdKernels() : new PlainKernels();
  return instance;
}
