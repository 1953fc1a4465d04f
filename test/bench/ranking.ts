/** Measures whether the intended file ranks first, with labeled queries on publicly available trees. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Product } from "./product";
import { heading, printTable } from "./report";
import { fetchPackages } from "./symbolTrees";

/** A source tree in a Debian package, recognized by one of its files. */
interface LabeledTree {
  readonly packageName: string;
  /** Path of the tree in the unpacked package. */
  readonly root: string;
  readonly marker: string;
  /** Maps each query to the intended file. */
  readonly labels: Readonly<Record<string, string>>;
}

const linux: LabeledTree = {
  packageName: "linux-source-6.1",
  root: "linux-source-6.1",
  marker: "include/linux/slab.h",
  labels: {
    kmalloc_array: "include/linux/slab.h",
    "struct file_operations": "include/linux/fs.h",
    list_for_each_entry: "include/linux/list.h",
    container_of: "include/linux/container_of.h",
    "struct task_struct": "include/linux/sched.h",
    copy_from_user: "include/linux/uaccess.h",
    PAGE_SHIFT: "arch/x86/include/asm/page_types.h",
    schedule_timeout: "kernel/time/timer.c",
    mutex_lock_interruptible: "kernel/locking/mutex.c",
    spin_lock_irqsave: "include/linux/spinlock.h",
    "struct sk_buff": "include/linux/skbuff.h",
    netif_receive_skb: "net/core/dev.c",
    vfs_read: "fs/read_write.c",
    do_sys_open: "fs/open.c",
    tcp_sendmsg: "net/ipv4/tcp.c",
    ext4_iget: "fs/ext4/inode.c",
    btrfs_search_slot: "fs/btrfs/ctree.c",
    kthread_create: "include/linux/kthread.h",
    module_init: "include/linux/module.h",
    request_irq: "include/linux/interrupt.h",
    printk_ratelimited: "include/linux/printk.h",
    "struct page": "include/linux/mm_types.h",
    rb_insert_color: "lib/rbtree.c",
    radix_tree_lookup: "lib/radix-tree.c",
    "scheduler core": "kernel/sched/core.c",
    "e1000 main": "drivers/net/ethernet/intel/e1000/e1000_main.c",
    "file:Makefile KBUILD_CFLAGS": "Makefile",
    "rwsem down_write": "kernel/locking/rwsem.c",
    "oom kill process": "mm/oom_kill.c",
    "slub allocator": "mm/slub.c",
    kfree: "mm/slab_common.c",
    vmalloc: "mm/vmalloc.c",
    wake_up_process: "kernel/sched/core.c",
    copy_process: "kernel/fork.c",
    do_exit: "kernel/exit.c",
    "struct inode": "include/linux/fs.h",
    "struct dentry": "include/linux/dcache.h",
    "struct bio": "include/linux/blk_types.h",
    "struct net_device": "include/linux/netdevice.h",
    ip_rcv: "net/ipv4/ip_input.c",
    d_path: "fs/d_path.c",
    filemap_fault: "mm/filemap.c",
    kobject_add: "lib/kobject.c",
    usb_submit_urb: "drivers/usb/core/urb.c",
    i2c_transfer: "drivers/i2c/i2c-core-base.c",
    pci_enable_device: "drivers/pci/pci.c",
    blk_mq_run_hw_queue: "block/blk-mq.c",
    schedule_work: "include/linux/workqueue.h",
    idr_alloc: "lib/idr.c",
    mod_timer: "kernel/time/timer.c",
    bpf_prog_load: "kernel/bpf/syscall.c",
    IS_ERR_OR_NULL: "include/linux/err.h",
    BUILD_BUG_ON: "include/linux/build_bug.h",
  },
};

/** The standard library. */
const go: LabeledTree = {
  packageName: "golang-1.19-src",
  root: "usr/share/go-1.19/src",
  marker: "fmt/print.go",
  labels: {
    Sprintf: "fmt/print.go",
    Stringer: "fmt/print.go",
    ReadAll: "io/io.go",
    ErrUnexpectedEOF: "io/io.go",
    "bufio NewReader": "bufio/bufio.go",
    ListenAndServe: "net/http/server.go",
    HandlerFunc: "net/http/server.go",
    RoundTripper: "net/http/client.go",
    ParseInt: "strconv/atoi.go",
    WaitGroup: "sync/waitgroup.go",
    "json Unmarshal": "encoding/json/decode.go",
    TrimPrefix: "strings/strings.go",
    mallocgc: "runtime/malloc.go",
    gopark: "runtime/proc.go",
    mapassign: "runtime/map.go",
    chansend: "runtime/chan.go",
    MustCompile: "regexp/regexp.go",
    WithTimeout: "context/context.go",
    "type Context interface": "context/context.go",
    EvalSymlinks: "path/filepath/path.go",
    SliceStable: "sort/slice.go",
    SetReadDeadline: "net/net.go",
    RFC3339Nano: "time/format.go",
    "Buffer Truncate": "bytes/buffer.go",
    "OpenFile O_CREATE": "os/file.go",
  },
};

const trees: readonly LabeledTree[] = [linux, go];

const depth = 50;

/** Fetches missing trees with labeled queries into `folder` and returns their paths. */
export function fetchLabeledTrees(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  fetchPackages(
    trees.map(({ packageName }) => packageName),
    folder,
  );
  return trees.map(({ root }) => join(folder, root));
}

/** Returns the 1-based rank of the intended file for each labeled query, or 0 if it was not found. */
export async function benchRanking(product: Product, corpus: string): Promise<readonly number[]> {
  heading("Ranking");
  const tree = trees.find(({ marker }) => existsSync(join(corpus, marker)));
  if (tree === undefined) {
    console.log("There are no labeled queries for this corpus.\n");
    return [];
  }
  const ranks: number[] = [];
  const rows: string[][] = [];
  for (const [query, path] of Object.entries(tree.labels)) {
    const { files } = await product.search({ query, matches: 500 });
    const rank = files.slice(0, depth).findIndex(({ fileName }) => fileName.text === path) + 1;
    ranks.push(rank);
    rows.push([`\`${query}\``, path, rank === 0 ? "-" : String(rank), files[0]?.fileName.text ?? ""]);
  }
  printRanks(tree.packageName, ranks);
  printTable(["query", "intended file", "rank", "first result"], rows);
  return ranks;
}

export function printRanks(of: string, ranks: readonly number[]): void {
  const within = (most: number) =>
    `${((100 * ranks.filter((rank) => rank > 0 && rank <= most).length) / ranks.length).toFixed(0)} %`;
  const reciprocal = ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : 1 / rank), 0) / ranks.length;
  console.log(
    `${of}: ${ranks.length} queries. Recall@1 ${within(1)}, recall@5 ${within(5)}, mean reciprocal rank ${reciprocal.toFixed(3)}.\n`,
  );
}
