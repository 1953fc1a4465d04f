import { stemOf } from "./description";

/**
 * Words that people use for each other in names and descriptions of code: what a description calls `configuration` may be
 * in `settings.py`. Groups are separated by commas, and a word may be in several ones. Abbreviations that their words
 * start with, like `config`, are only listed if they also stand for other words.
 */
const groups = `
  abbreviate shorten truncate trim, abort cancel stop terminate kill, account user,
  add append insert push register, allocate malloc, allow permit enable, argument arg param parameter,
  array list vector vec, asynchronous async future promise, attribute attr property prop field,
  authenticate auth login credential password, authorize auth permission access, average avg mean,
  begin start launch, benchmark bench performance perf, bind attach mount, block lock wait,
  build create make construct new generate gen factory, bundle pack package pkg, byte octet,
  cache memo pool, calculate compute eval evaluate, callback cb handler hook listener observer,
  capacity size length len count, certificate cert tls ssl secure, change modify update edit,
  check validate verify assert, choose select pick, class type, clean cleanup clear reset, client consumer,
  clock time, clone copy duplicate, close shutdown end finish complete, cluster group batch,
  collection container set, combine merge join concat, command cmd cli, compare cmp equal eq, compile build,
  compress gzip deflate zip, concurrent parallel thread, condition cond predicate,
  configuration config conf settings options setup, connect conn socket sock dial, context ctx,
  convert transform cast translate map, cookie session, credential secret password token,
  cryptography crypto cipher encrypt, database db sql storage store, deadline timeout expire ttl,
  debug trace log, decode parse deserialize unmarshal reader, decompress inflate gunzip, default fallback,
  define declare, delay sleep wait timer interval schedule, delete remove del drop unlink erase,
  descriptor desc fd, destination dst dest target, destroy free release dispose,
  detect find search lookup locate, dictionary dict map hash, digest hash checksum,
  directory dir folder path, dispatch emit send trigger fire notify publish, display show print render,
  element item entry node, encode serialize marshal dump writer, error exception fail failure fault,
  escape quote sanitize, event signal message msg, execute run exec invoke call, expand extend grow,
  expose export, extension ext plugin addon, fake mock stub, fetch get load retrieve obtain read,
  filter match where, flag option switch, flush drain sync, format fmt, forward proxy delegate,
  function func fn method, grammar parser syntax, handshake upgrade, helper util, identifier id ident name,
  ignore skip omit, import require load, incoming inbound request req, index idx,
  initialize init setup start, input in, instance object obj, integer int number num,
  interceptor middleware hook, iterate loop each next, job task worker, keep retain preserve hold,
  language lang locale, layer level lvl, lexer tokenizer scanner token, limit max maximum throttle rate cap,
  link url uri href location, memory mem heap alloc, metric stat statistics counter measure, module package,
  mutex lock semaphore, navigate route, network net socket, observe watch subscribe listen monitor,
  open connect, operation op, order sort, outgoing outbound response resp res reply, output out write,
  parent super, pattern regex regular glob, pause suspend, pending queue, position pos offset,
  protect guard prevent, query select search, range interval span, receive recv accept, redirect location,
  reject refuse deny, rename move, render template, repeat retry backoff loop, replace substitute,
  resolve lookup, restart retry, restore recover revert rollback undo, reuse recycle pool,
  save store write persist, send transmit write, server srv, source src, split divide separate,
  stream pipe reader, string text, subprocess process spawn exec,
  synchronize synchronization synchronous sync lock, table tbl, temporary tmp temp, terminal tty console,
  throw raise, transaction tx txn, traverse walk visit, tree node, unique distinct, upload multipart,
  wrap decorate adapter
`;
const minAbbreviation = 3;

/** By stem: the stems of the other words in its groups. */
let synonyms: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Whether a word with the stem `other` abbreviates one with the stem `stem`, or means nearly the same. */
export function isRelated(stem: string, other: string): boolean {
  if (other.length >= minAbbreviation && stem.startsWith(other)) return true;
  synonyms ??= synonymsByStem();
  return synonyms.get(stem)?.has(other) ?? false;
}

function synonymsByStem(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const group of groups.split(",")) {
    const stems = group.trim().split(/\s+/).map(stemOf);
    for (const stem of stems) {
      const others = found.get(stem) ?? new Set();
      found.set(stem, others);
      for (const other of stems) if (other !== stem) others.add(other);
    }
  }
  return found;
}
