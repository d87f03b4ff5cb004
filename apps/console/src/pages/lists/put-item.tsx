import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PolicyList, ListItem } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { DialogEnd } from '../../parts/dialog-end.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { ChangeComment } from './change-comment.tsx';

interface PutItemProps {
  readonly list: Pick<PolicyList, 'name' | 'of'>;
  /** Prefilled parts of a new item, in the order of `of`. */
  readonly parts?: readonly string[];
  /** A present or former item, which gets another expiry and comment. */
  readonly item?: ListItem;
  readonly onDone: () => void;
}

/** Adds an item to a list, or changes its expiry. */
export function PutItem({ list, parts: known = [], item, onDone }: PutItemProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const notices = useNotices();
  const [parts, setParts] = useState<readonly string[]>(list.of.map((_, at) => known[at] ?? ''));
  const mayStay = item !== undefined && item.state !== 'expired';
  const [end, setEnd] = useState<EndChoice>(mayStay ? 'same' : item === undefined ? 'never' : '30');
  const [comment, setComment] = useState(item?.comment ?? '');
  const change = useDoing('changeList', ['listListItems', 'listLists'], {
    done: () => notices.say(item === undefined ? t('lists.added', { list: list.name }) : t('lists.changed')),
  });
  const submit = (): void => {
    const expiresAt = endOf(end, item?.expiresAt);
    const named = item === undefined ? { parts: parts.map((part) => part.trim()) } : { ref: item.ref };
    change.mutate(
      {
        params: { workspace, list: list.name },
        body: { put: [{ ...named, ...(expiresAt === undefined ? {} : { expiresAt }) }], comment },
      },
      { onSuccess: onDone },
    );
  };
  return (
    <Form onSubmit={submit}>
      {item === undefined ? (
        list.of.map((path, at) => (
          <Field
            key={path}
            label={path}
            required
            mono
            maxLength={256}
            value={parts[at] ?? ''}
            onChange={(event) => setParts(parts.map((part, place) => (place === at ? event.target.value : part)))}
          />
        ))
      ) : (
        <p className="font-mono text-sm break-all">{item.parts.join(', ')}</p>
      )}
      <ItemEnd value={end} onChange={setEnd} mayStay={mayStay} />
      <ChangeComment value={comment} onChange={setComment} />
      <DialogEnd problem={change.error} onCancel={onDone}>
        <Button type="submit" look="main" busy={change.isPending}>
          {item === undefined ? t('lists.add') : t('act.save')}
        </Button>
      </DialogEnd>
    </Form>
  );
}

const spans = ['never', '1', '7', '30', '90', '365'] as const;
/** `same` keeps the present expiry. */
type EndChoice = 'same' | (typeof spans)[number];

const dayMs = 86_400_000;

/** The expiry of a choice made now; undefined for never. */
function endOf(choice: EndChoice, present: string | undefined): string | undefined {
  if (choice === 'same') return present;
  return choice === 'never' ? undefined : new Date(Date.now() + Number(choice) * dayMs).toISOString();
}

interface ItemEndProps {
  readonly value: EndChoice;
  readonly onChange: (choice: EndChoice) => void;
  /** Whether the present expiry can be kept. */
  readonly mayStay: boolean;
}

/** When an item expires. */
function ItemEnd({ value, onChange, mayStay }: ItemEndProps): ReactElement {
  const { t } = useTranslation();
  const offered: readonly EndChoice[] = mayStay ? ['same', ...spans] : spans;
  return (
    <Choice
      label={t('lists.ends')}
      value={value}
      onChange={(event) => onChange(offered.find((one) => one === event.target.value) ?? 'never')}
      options={offered.map((one) => ({ value: one, label: t(`lists.end.${one}`) }))}
    />
  );
}
