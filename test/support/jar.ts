/** Archives like those that build tools write, and damaged ones. */
import { crc32, deflateRawSync } from "node:zlib";

export interface JarEntry {
  readonly name: string;
  readonly text: string;
  /** Fields of the central directory that are not as they should be. */
  readonly method?: number;
  readonly flags?: number;
  readonly size?: number;
  readonly checksum?: number;
}

/** Packs files whose names are keys. */
export function jar(files: Readonly<Record<string, string>>): Buffer {
  return jarOf(Object.entries(files).map(([name, text]) => ({ name, text })));
}

/** Like Maven, writes sizes only to the central directory. Files without text are stored, others are deflated. */
export function jarOf(entries: readonly JarEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, text, ...changed } of entries) {
    const bytes = Buffer.from(text);
    const packed = text === "" ? bytes : deflateRawSync(bytes);
    const path = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(path.length, 26);
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(changed.flags ?? 0x0808, 8);
    header.writeUInt16LE(changed.method ?? (text === "" ? 0 : 8), 10);
    header.writeUInt32LE(changed.checksum ?? crc32(bytes), 16);
    header.writeUInt32LE(packed.length, 20);
    header.writeUInt32LE(changed.size ?? bytes.length, 24);
    header.writeUInt16LE(path.length, 28);
    header.writeUInt32LE(offset, 42);
    directory.push(header, path);
    parts.push(local, path, packed);
    offset += local.length + path.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
