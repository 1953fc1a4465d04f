import { stemOf } from "./description";

/**
 * Synonyms in code, and abbreviations: what a description calls `configuration` may be in `settings.py`. Groups are
 * separated by commas, and a word may be in several groups.
 */
const groups = `
  abbreviate shorten truncate trim, abort cancel stop kill, account user, add append insert,
  administrator admin, algorithm algo, allocate alloc malloc, allow permit enable, application app,
  argument arg parameter param, array list vector vec, asynchronous async future promise,
  attribute attr property prop field, authenticate auth login credential password,
  authorize auth permission access, average avg, begin start launch, benchmark bench perf,
  bind attach mount, block lock wait, boolean bool, buffer buf,
  build create make construct new generate gen factory, bundle pack package pkg, byte octet,
  cache memo pool, calculate calc compute eval evaluate, callback cb handler hook listener observer,
  capacity size length len count, certificate cert tls ssl secure, change modify update, channel chan,
  character char, check validate verify assert, choose select pick, clean cleanup clear reset,
  client consumer, clock time, clone copy duplicate, close shutdown end finish, collection container,
  color colour, column col, combine merge join concat, command cmd cli, compare cmp equal eq, compile build,
  compress gzip deflate zip, concurrent parallel thread, condition cond predicate,
  configuration config conf settings options setup, connect conn socket sock dial, context ctx,
  convert transform cast translate map, cookie cookies session, credential secret password token,
  cryptography crypto cipher encrypt, current cur, database db sql storage store,
  deadline timeout expire ttl, debug trace log, decode parse deserialize unmarshal,
  decompress inflate gunzip, default fallback, define declare, delay sleep wait interval schedule,
  delete remove del drop unlink erase, dependency dep, descriptor desc fd, destination dst dest target,
  destroy free release dispose, detect find search lookup locate, dictionary dict map hash,
  digest hash checksum, directory dir folder, dispatch emit send trigger fire notify notification publish,
  display show print render, document doc, element elem item entry node,
  encode serialize serialization marshal dump, environment env, error exception fail failure fault,
  escape quote sanitize, event signal message msg, execute exec run invoke call, expand extend grow,
  expose export, expression expr, extension ext plugin addon, fake mock stub,
  fetch get load retrieve obtain read, filter match where, flag option switch, flush drain sync, format fmt,
  forward proxy delegate, function func fn method, grammar parser syntax, identifier ident id name,
  ignore skip omit, implementation impl, import require load, incoming inbound request req, index idx,
  information info, initialize initialization init setup start, instance object obj, integer int number num,
  interceptor middleware hook, iterate loop, job task worker, keep retain preserve hold, language lang,
  layer level lvl, lexer tokenizer scanner token, library lib, limit max maximum throttle rate cap,
  link url uri href, memory mem heap alloc, metric statistics counter measure, minimum min,
  module package, mutex lock semaphore, navigate route, network net socket,
  observe watch subscribe subscription listen monitor, open connect, operation op, order sort,
  outgoing outbound response resp res reply, parent super, pattern regex regular glob, pause suspend,
  pending queue, position pos offset, previous prev, process proc, protect guard prevent, protocol proto,
  query select search, random rand, range interval span, receive recv accept, redirect location,
  reference ref, reject refuse deny, rename move, render template, repeat retry backoff loop,
  replace substitute, repository repo, represent repr, resolve lookup, resource res, restart retry,
  restore recover revert rollback undo, result res, return ret, reuse recycle pool,
  save store write persist, send transmit write, sequence seq, server srv, signature sign, source src,
  specification spec, split divide separate, stream pipe, string str text, structure struct,
  subprocess process spawn exec, synchronize synchronization synchronous sync lock, system sys, table tbl,
  temporary tmp temp, terminal tty console, throw raise, transaction tx txn, traverse walk visit, tree node,
  unique distinct, utility util, value val, variable var, version ver, window win, wrap decorate adapter
`;
/** Short stems are those of other words, too: that of `settings` is `set`. */
const minStem = 4;

/** By stem: the words of its groups. */
let synonyms: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Whether a lower-case word abbreviates a word with this stem, or means nearly the same. */
export function isRelated(stem: string, word: string): boolean {
  synonyms ??= synonymsByStem();
  return synonyms.get(stem)?.has(word) ?? false;
}

function synonymsByStem(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const group of groups.split(",")) {
    const words = group.trim().split(/\s+/);
    for (const word of words) {
      const stem = stemOf(word);
      if (stem.length < minStem && stem !== word) continue;
      const all = found.get(stem) ?? new Set();
      found.set(stem, all);
      for (const each of words) all.add(each).add(`${each}s`);
    }
  }
  return found;
}
