/** A field's name, its value before and its value now. */
export type Field = readonly [name: string, before: string | number | undefined, after: string | number | undefined];

/** `share 100% to 10%`, for each field that differs. */
export function fieldChanges(fields: readonly Field[]): readonly string[] {
  return fields
    .filter(([, before, after]) => before !== after)
    .map(([name, before, after]) => `${name} ${before ?? 'none'} to ${after ?? 'none'}`);
}
