import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../parts/dialog.tsx';
import { useSections } from './sections.ts';

const listKeys = [
  { keys: 'j', name: 'next' },
  { keys: 'k', name: 'previous' },
  { keys: 'Enter', name: 'open' },
] as const;

const alertKeys = [
  { keys: 'n', name: 'takeNext' },
  { keys: 'c', name: 'claim' },
  { keys: 'f', name: 'fraud' },
  { keys: 'l', name: 'legitimate' },
  { keys: 'i', name: 'inconclusive' },
  { keys: 'x', name: 'mark' },
  { keys: 'X', name: 'markRange' },
] as const;

const anywhereKeys = [
  { keys: '/', name: 'search' },
  { keys: 'Ctrl K', name: 'search' },
  { keys: '?', name: 'help' },
  { keys: 'Esc', name: 'close' },
] as const;

/** All keyboard shortcuts. */
export function KeyboardHelp({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { t } = useTranslation();
  const sections = useSections();
  return (
    <Dialog title={t('keys.title')} onClose={onClose} wide>
      <div className="grid grid-cols-1 sm:grid-cols-2 lg:grid-cols-4 gap-8">
        <KeyList
          title={t('keys.anywhere')}
          keys={anywhereKeys.map(({ keys, name }) => ({ keys, does: t(`keys.${name}`) }))}
        />
        <KeyList title={t('keys.lists')} keys={listKeys.map(({ keys, name }) => ({ keys, does: t(`keys.${name}`) }))} />
        <KeyList
          title={t('section.alerts')}
          keys={alertKeys.map(({ keys, name }) => ({ keys, does: t(`keys.${name}`) }))}
        />
        <KeyList
          title={t('keys.pages')}
          keys={sections.map(({ key, name }) => ({ keys: `g ${key}`, does: t(`section.${name}`) }))}
        />
      </div>
    </Dialog>
  );
}

interface KeyListProps {
  readonly title: string;
  readonly keys: readonly { readonly keys: string; readonly does: string }[];
}

function KeyList({ title, keys }: KeyListProps): ReactElement {
  return (
    <section>
      <h3 className="eyebrow mb-2">{title}</h3>
      <dl className="grid grid-cols-[5rem_1fr] gap-y-1.5 text-sm">
        {keys.map((key) => (
          <div key={key.keys} className="contents">
            <dt>
              <kbd className="rounded border border-line-strong bg-sunken px-1.5 py-0.5 font-mono text-xs">
                {key.keys}
              </kbd>
            </dt>
            <dd>{key.does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
