import fc from 'fast-check';
import { expect, it } from 'vitest';
import { partCount } from '../../../src/store/memory/key-table.ts';
import { decodeDirectory } from '../../../src/store/checkpoint/entity-codec.ts';
import { Arena } from '../../../src/store/memory/arena.ts';
import { DirectoryEntity } from '../../../src/sessions/directory-entity.ts';
import { directoryKind } from '../../../src/store/entities/entity-kinds.ts';
import { EntityTable } from '../../../src/store/entities/entity-table.ts';

type Act =
  | { readonly kind: 'change' | 'put'; readonly name: string; readonly untilMs: number }
  | { readonly kind: 'empty' | 'putNone' | 'remove' | 'find'; readonly name: string }
  | { readonly kind: 'rest' | 'checkpoint' | 'evict' };

const name = fc.constantFrom('a', 'b', 'c', 'ж', 'a name that is longer than a cell', '');
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constantFrom('change' as const, 'put' as const), name, untilMs: fc.nat(1_000) }),
  fc.record({ kind: fc.constantFrom('empty' as const, 'putNone' as const, 'remove' as const, 'find' as const), name }),
  fc.record({ kind: fc.constantFrom('rest' as const, 'checkpoint' as const, 'evict' as const) }),
);

/** A table with a model of the stored state, from which evicted entities are loaded, as by the host. */
class Kept {
  readonly table: EntityTable<DirectoryEntity>;
  readonly stored = new Map<string, Uint8Array>();
  #generation = 1;

  constructor(isWhole: boolean) {
    const options = { arena: new Arena(), hashKey: [1, 2] as const, isWhole, inUseMax: 1 };
    this.table = new EntityTable(directoryKind, options);
  }

  find(name: string): DirectoryEntity | undefined {
    const found = this.table.find(name);
    if (found !== undefined) return found ?? undefined;
    this.table.supply(name, this.stored.get(name));
    return this.table.find(name) ?? undefined;
  }

  change(name: string, holder: DirectoryEntity['holder']): void {
    const entity = this.find(name) ?? this.table.findOrMake(name);
    this.table.changed.change(entity, this.#generation);
    entity.holder = holder;
  }

  put(name: string, holder: DirectoryEntity['holder']): void {
    this.table.put(new DirectoryEntity(name, holder), this.#generation);
  }

  /** The host deletes the stored state of an erased client separately. */
  remove(name: string): void {
    this.table.remove(name);
    this.stored.delete(name);
    this.table.supply(name, undefined);
  }

  checkpoint(): void {
    this.#generation++;
    this.table.beginCapture((name, snapshot) => {
      if (snapshot === undefined) this.stored.delete(name);
      else this.stored.set(name, snapshot);
    });
    this.table.changed.captureSome(Infinity);
  }

  evict(): void {
    for (let part = 0; part < partCount; part++)
      this.table.evictPart(part, { committed: this.#generation - 1, isEnough: () => false });
  }
}

function expectAll(kept: Kept, model: ReadonlyMap<string, number>): void {
  expect(new Map([...model.keys()].map((known) => [known, kept.find(known)?.holder?.untilMs]))).toEqual(model);
}

it('keeps and stores every change, however many entities are packed, evicted and loaded again', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(act, { maxLength: 60 }), (isWhole, acts) => {
      const kept = new Kept(isWhole);
      const model = new Map<string, number>();
      const found: (readonly [is: number | undefined, should: number | undefined])[] = [];
      for (const one of acts) {
        switch (one.kind) {
          case 'change':
            kept.change(one.name, { subject: 'ana', untilMs: one.untilMs });
            model.set(one.name, one.untilMs);
            break;
          case 'put':
            kept.put(one.name, { subject: 'ana', untilMs: one.untilMs });
            model.set(one.name, one.untilMs);
            break;
          case 'empty':
            kept.change(one.name, undefined);
            model.delete(one.name);
            break;
          case 'putNone':
            kept.put(one.name, undefined);
            model.delete(one.name);
            break;
          case 'remove':
            kept.remove(one.name);
            model.delete(one.name);
            break;
          case 'find':
            found.push([kept.find(one.name)?.holder?.untilMs, model.get(one.name)]);
            break;
          case 'rest':
            kept.table.rest();
            break;
          case 'checkpoint':
            kept.checkpoint();
            break;
          case 'evict':
            kept.evict();
        }
      }
      expect(found.map(([is]) => is)).toEqual(found.map(([, should]) => should));
      expectAll(kept, model);
      kept.checkpoint();
      const stored = [...kept.stored].map(([of, bytes]) => [of, decodeDirectory(bytes, of).holder?.untilMs] as const);
      expect(new Map(stored)).toEqual(model);
      // Nothing changed since: everything may be evicted, and nothing is lost.
      kept.evict();
      kept.evict();
      expect(kept.table.size).toBe(0);
      expectAll(kept, model);
    }),
    { numRuns: 1_000 },
  );
});
