import type { NavigateOptions } from '@tanstack/react-router';

/** A place that a text may stand for. */
export interface SearchTarget {
  readonly name: 'event' | 'action' | 'rule' | 'anything';
  readonly link: (workspace: string) => NavigateOptions;
}

/** Where to look for a text, the likeliest first: ids say by their form what they are. */
export function targetsOf(text: string): readonly SearchTarget[] {
  if (/^evt_\d+_\d+$/.test(text)) {
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
