import type { ByteReader, ByteWriter } from '@ringfence/contract';
import type { BrowserVersions, VersionSight } from '../../devices/browser-versions.ts';

export function writeBrowsers(writer: ByteWriter, { entries }: BrowserVersions): void {
  writer.uint(entries.length);
  for (const [browser, versions] of entries) {
    writer.text(browser);
    writer.uint(versions.size);
    for (const [version, sights] of versions) {
      writer.int(version);
      writer.uint(sights.length);
      for (const { client, atMs } of sights) {
        writer.int(client);
        writer.int(atMs);
      }
    }
  }
}

export function readBrowsers(reader: ByteReader, browsers: BrowserVersions): void {
  for (let left = reader.uint(); left > 0; left--) {
    const browser = reader.text();
    const versions = new Map<number, readonly VersionSight[]>();
    for (let count = reader.uint(); count > 0; count--) versions.set(reader.int(), readSights(reader));
    browsers.restore(browser, versions);
  }
}

function readSights(reader: ByteReader): readonly VersionSight[] {
  return reader.list(() => ({ client: reader.int(), atMs: reader.int() }));
}
