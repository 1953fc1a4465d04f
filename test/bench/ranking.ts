/** Whether the file a person means comes first: labelled queries on the Linux kernel. */
import type { Product } from "./product";
import { heading, printTable } from "./report";

/** What was typed, and the file that was meant. */
const labels: Readonly<Record<string, string>> = {
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
};

const depth = 50;

export async function benchRanking(product: Product): Promise<void> {
  const places: number[] = [];
  const rows: string[][] = [];
  for (const [query, path] of Object.entries(labels)) {
    const { files } = await product.search({ query, matches: 500 });
    const place = files.slice(0, depth).findIndex(({ fileName }) => fileName.text === path) + 1;
    places.push(place);
    rows.push([`\`${query}\``, path, place === 0 ? "-" : String(place), files[0]?.fileName.text ?? ""]);
  }
  const within = (most: number) =>
    `${((100 * places.filter((place) => place > 0 && place <= most).length) / places.length).toFixed(0)} %`;
  const reciprocal = places.reduce((sum, place) => sum + (place === 0 ? 0 : 1 / place), 0) / places.length;
  heading("Ranking");
  console.log(
    `Recall@1 ${within(1)}, recall@5 ${within(5)}, mean reciprocal rank ${reciprocal.toFixed(3)}.\n`,
  );
  printTable(["query", "meant", "place", "came first"], rows);
}
