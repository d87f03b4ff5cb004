import type { NavigateOptions } from '@tanstack/react-router';

/** A possible target of a search text. */
export interface SearchTarget {
  readonly name: 'event' | 'action' | 'rule' | 'anything';
  readonly link: (workspace: string) => NavigateOptions;
}

/** Search targets, the most likely first: the form of an id reveals its kind. */
export function targetsOf(text: string): readonly SearchTarget[] {
  if (/^evt_(?:test_)?\d+_\d+$/.test(text)) {
    return [
      {
        name: 'event',
        link: (workspace) => ({ to: '/w/$workspace/events/$event', params: { workspace, event: text } }),
      },
    ];
  }
  if (/^act_\w+$/.test(text)) {
    return [
      {
        name: 'action',
        link: (workspace) => ({ to: '/w/$workspace/deliveries/$action', params: { workspace, action: text } }),
      },
    ];
  }
  const rule: SearchTarget = {
    name: 'rule',
    link: (workspace) => ({ to: '/w/$workspace/events', params: { workspace }, search: { reason: Number(text) } }),
  };
  return [
    ...(/^[1-9]\d{0,8}$/.test(text) ? [rule] : []),
    {
      name: 'anything',
      link: (workspace) => ({ to: '/w/$workspace/search', params: { workspace }, search: { text } }),
    },
  ];
}
