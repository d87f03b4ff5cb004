import { Type } from 'typebox';
import { maskText } from '../../access/audit/personal.ts';
import { exactly, text } from '../../platform/shapes/shape.ts';
import { addClientNote, listClientNotes, requireClient } from '../../console/client-notes.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { keyOf } from '../../tenancy/subjects/client-seal.ts';
import { type Route, route } from '../server/operation.ts';
import { instant, inWorkspace, list, nonPersonalWord, personal, word } from '../server/members.ts';
import { decideMasking } from '../server/masking.ts';
import { showQuery } from '../server/show-member.ts';
import { analystOf, sealingKeyOf } from '../alerts/alert-routes.ts';

const inClient = exactly({
  ...inWorkspace.properties,
  client: text({ maxLength: 64, description: 'The `clientRef` of the client.', expected: 'the name of a client' }),
});

const noteSchema = Type.Object(
  {
    at: instant('When it was written.'),
    author: nonPersonalWord('Who wrote it.', 'mara@bank.example'),
    text: personal(word('Masked unless shown.', 'Called on Friday: lost the telephone.'), maskText),
  },
  { title: 'ClientNote' },
);

const listRoute = route(
  {
    id: 'listClientNotes',
    method: 'GET',
    path: '/workspaces/{workspace}/clients/{client}/notes',
    tag: 'clients',
    needs: 'see',
    summary: 'Notes about a client',
    params: inClient,
    query: showQuery,
    answer: {
      status: 200,
      description: 'At most 100, newest first. None once the client is erased.',
      schema: Type.Object({ items: list(noteSchema) }, { title: 'ClientNotes' }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { client: subject, ...params }, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: `client:${subject}` });
    const key = await keyOf(deps, workspace, subject);
    const notes = key === undefined ? [] : await listClientNotes(deps.pool, { workspace, subject, key });
    return {
      items: notes.map(({ atMs, author, text: said }) => ({ at: new Date(atMs).toISOString(), author, text: said })),
    };
  },
);

const addRoute = route(
  {
    id: 'addClientNote',
    method: 'POST',
    path: '/workspaces/{workspace}/clients/{client}/notes',
    tag: 'clients',
    needs: 'work',
    summary: 'Add a note about a client',
    description: 'Encrypted under the client’s key: erasing the client erases the note.',
    params: inClient,
    body: exactly({ text: text({ maxLength: 4_000, description: 'The note.', expected: 'a text' }) }),
    example: { text: 'Called on Friday: lost the telephone.' },
    answer: { status: 204, description: 'It is stored.' },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { client: subject, ...params }, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await requireClient(deps.pool, workspace.id, subject);
    const key = await sealingKeyOf(deps, workspace, subject);
    const { name, nowMs } = analystOf(deps, exchange);
    await addClientNote(deps.pool, { workspace, subject, key }, { atMs: nowMs, author: name, text: body.text });
    exchange.note({ target: `client:${subject}` });
  },
);

/** Notes of people about a client. */
export const clientNoteRoutes: readonly Route[] = [listRoute, addRoute];
