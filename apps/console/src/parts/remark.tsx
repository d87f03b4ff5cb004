import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsPersonalShown } from '../api/personal.ts';
import { useRight } from '../api/use-workspace.ts';
import { Button } from './button.tsx';
import { Form } from './form.tsx';
import { Instant } from './instant.tsx';
import { ProblemNote } from './problem-note.tsx';
import type { ApiProblem } from '../api/api-problem.ts';

interface RemarkProps {
  readonly at: string;
  readonly author: string;
  /** Masked unless personal data is shown; absent if the client was erased. */
  readonly text: string | undefined;
}

/** What a person wrote about a client. */
export function Remark({ at, author, text }: RemarkProps): ReactElement {
  const { t } = useTranslation();
  return (
    <li>
      <p className="text-xs text-soft">
        {author} · <Instant at={at} as="ago" />
      </p>
      <p className="break-words whitespace-pre-wrap">{text ?? t('event.erased')}</p>
    </li>
  );
}

/** Says why remarks are not readable, to those who may read them. */
export function MaskedRemarks({ count }: { readonly count: number }): ReactElement | null {
  const { t } = useTranslation();
  const isShown = useIsPersonalShown();
  const mayShow = useRight('show');
  if (count === 0 || isShown) return null;
  return <p className="mt-2 text-xs text-soft">{t(mayShow ? 'remarks.masked' : 'remarks.maskedForYou')}</p>;
}

interface RemarkFormProps {
  readonly label: string;
  readonly act: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onSubmit: () => void;
  readonly busy: boolean;
  readonly problem: ApiProblem | null;
}

/** Writes one. It is encrypted for its client, and erased with it. */
export function RemarkForm({ label, act, text, onText, onSubmit, busy, problem }: RemarkFormProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Form className="mt-3 flex flex-col gap-2" onSubmit={onSubmit}>
      <textarea
        aria-label={label}
        placeholder={label}
        required
        maxLength={4_000}
        rows={2}
        value={text}
        onChange={(event) => onText(event.target.value)}
        className="w-full rounded-md border border-line-strong bg-card p-2 text-sm"
      />
      {problem === null ? null : <ProblemNote problem={problem} />}
      <div className="flex items-start justify-between gap-3">
        <p className="text-xs text-soft">{t('remarks.hint')}</p>
        <Button type="submit" small busy={busy}>
          {act}
        </Button>
      </div>
    </Form>
  );
}
