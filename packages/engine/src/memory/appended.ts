/** Lists up to this length are as long as they need to be: most entities never see more. */
const exactMax = 8;

/**
 * The list with one item more: itself, or while it is short another one without room to spare. A list that `push`
 * makes has room for seventeen, of which most entities use two.
 */
export function appended<Item extends number | string | object | undefined>(list: Item[], item: Item): Item[] {
  if (list.length < exactMax) return list.concat(item);
  list.push(item);
  return list;
}
