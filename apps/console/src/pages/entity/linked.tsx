import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { EntityLink as Linking } from '../../api/operations.generated.ts';
import { Badge } from '../../parts/badge.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { entityKinds, entitySigns } from './entity-kinds.ts';

/** Entities of the same events, by kind. */
export function Linked({ links }: { readonly links: readonly Linking[] }): ReactElement {
  const { t } = useTranslation();
  const groups = entityKinds
    .map((kind) => ({ kind, own: links.filter((link) => link.kind === kind) }))
    .filter(({ own }) => own.length > 0);
  return (
    <Panel title={t('entity.linked')}>
      {groups.length === 0 ? <p className="text-sm text-soft">{t('entity.alone')}</p> : null}
      <div className="flex flex-col gap-3 text-sm">
        {groups.map(({ kind, own }) => {
          const Sign = entitySigns[kind];
          return (
            <section key={kind}>
              <h3 className="eyebrow mb-1 flex items-center gap-1.5">
                <Sign aria-hidden className="size-3.5" />
                {t(`entity.kinds.${kind}`)}
              </h3>
              <ul>
                {own.map((link) => (
                  <li key={link.ref} className="flex h-7 items-center gap-2">
                    <span className="min-w-0 grow truncate">
                      <EntityLink kind={kind} name={link.value ?? link.ref.slice(0, 10)} of={link.ref} />
                    </span>
                    {link.fired === 0 ? null : (
                      <Badge tone="bad" title={t('entity.firedBeside', { count: link.fired })}>
                        {link.fired}
                      </Badge>
                    )}
                    <span
                      className="w-8 text-right text-xs text-soft"
                      title={t('entity.events', { count: link.events })}
                    >
                      {link.events}
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
      </div>
    </Panel>
  );
}
