/** Lists up to this length are as long as they need to be: most entities never see more. */
const exactMax = 8;

/**
 * The list with one item more: itself, or while it is short another one without room to spare. A list that `push`
 * makes has room for seventeen, of which most entities use two.
 */
export function appended<Item extends number | string | object | undefined>(list: Item[], item: Item): Item[] {
  const { length } = list;
  if (length >= exactMax) {
    list.push(item);
    return list;
  }
  // oxlint-disable-next-line unicorn/no-new-array -- `concat` takes ten times as long, and others leave room to spare
  const longer = new Array<Item>(length + 1);
  for (let place = 0; place < length; place++) longer[place] = list[place]!;
  longer[length] = item;
  return longer;
}
