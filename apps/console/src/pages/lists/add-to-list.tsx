import { useQuery } from '@tanstack/react-query';
import { ListPlus } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entity, PolicyList } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Choice } from '../../parts/field.tsx';
import { PutItem } from './put-item.tsx';

/** The facts that identify each kind of entity in lists. */
const facts: Readonly<Record<Entity['kind'], readonly string[]>> = {
  client: ['client.id', 'account.client', 'user'],
  session: ['session.id', 'session'],
  device: ['device.id'],
  ip: ['publicIp', 'ip.address', 'session.ip'],
  account: [],
  payee: ['payee.id'],
  reference: ['transaction.reference'],
};

interface AddToListProps {
  readonly kind: Entity['kind'];
  /** The value, not its mask. */
  readonly value: string;
}

/** Adds an entity to a live list of its kind. For a list of pairs, the other part is typed. */
export function AddToList({ kind, value }: AddToListProps): ReactElement | null {
  const { t } = useTranslation();
  const mayWork = useRight('work');
  const [asked, setAsked] = useState(false);
  if (!mayWork || facts[kind].length === 0) return null;
  return (
    <>
      <Button onClick={() => setAsked(true)}>
        <ListPlus aria-hidden className="size-4" />
        {t('lists.addTo')}
      </Button>
      {asked ? (
        <Dialog title={t('lists.addTo')} onClose={() => setAsked(false)}>
          <ChooseList kind={kind} value={value} onDone={() => setAsked(false)} />
        </Dialog>
      ) : null}
    </>
  );
}

function ChooseList({ kind, value, onDone }: AddToListProps & { readonly onDone: () => void }): ReactElement {
  const { t } = useTranslation();
  const lists = useQuery(asking('listLists', { params: { workspace: useWorkspaceName() } }));
  const [name, setName] = useState<string>();
  return (
    <Asked of={lists} rows={3}>
      {({ items }) => {
        const fitting = items.filter(({ live, of }) => live && of.some((path) => facts[kind].includes(path)));
        const chosen = fitting.find((list) => list.name === name) ?? fitting[0];
        if (chosen === undefined) return <p className="text-sm text-soft">{t('lists.noList')}</p>;
        return (
          <div className="flex flex-col gap-4">
            <Choice
              label={t('section.lists')}
              value={chosen.name}
              onChange={(event) => setName(event.target.value)}
              options={fitting.map((list) => ({ value: list.name, label: list.name }))}
            />
            <PutItem key={chosen.name} list={chosen} parts={partsOf(chosen, kind, value)} onDone={onDone} />
          </div>
        );
      }}
    </Asked>
  );
}

function partsOf({ of }: PolicyList, kind: Entity['kind'], value: string): readonly string[] {
  const at = of.findIndex((path) => facts[kind].includes(path));
  return of.map((_, place) => (place === at ? value : ''));
}
