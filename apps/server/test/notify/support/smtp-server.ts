/** A strict mail server on loopback: RFC 5321 in order, STARTTLS, AUTH PLAIN only under TLS or where it is plain. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Issued } from '../../deliver/support/certificates.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header and body as received, dots unstuffed. */
  readonly data: string;
  readonly isSecure: boolean;
  readonly user: string | undefined;
}

export interface SmtpOptions {
  /** Offers STARTTLS; with `implicit`, TLS from the first byte. */
  readonly tls?: Issued & { readonly implicit?: true };
  readonly user?: string;
  readonly password?: string;
  /** Called after DATA: the answer, or `cut` to close after the message was stored and before the answer. */
  readonly onData?: (mail: ReceivedMail, count: number) => string;
  /** The answer to a recipient. */
  readonly onRecipient?: (address: string) => string;
  /** Says nothing, ever. */
  readonly silent?: true;
}

export interface SmtpServer {
  readonly port: number;
  /** Every message that was taken, repeats included. */
  readonly mails: readonly ReceivedMail[];
  /** Every byte that a client sent after the handshake. */
  readonly said: () => string;
  /** From now on nothing listens; `reopen` listens again at the same port. */
  close(): Promise<void>;
  reopen(): Promise<void>;
}

/** Text with its quoted-printable lines joined, so that nothing hides in a line break. */
export function joined(data: string): string {
  return data.replaceAll('=\r\n', '').replaceAll('=3D', '=');
}

/** Started and stopped with the test. */
export async function smtpServer(options: SmtpOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const said: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => {});
    if (options.silent === true) return;
    const { tls } = options;
    const first = tls?.implicit === true ? secured(socket, tls) : socket;
    new Conversation(first, { options, mails, said, isSecure: first !== socket }).begin();
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  onTestFinished(close);
  return { port, mails, said: () => said.join(''), close, reopen: () => listen(port) };
}

function secured(socket: Socket, { cert, key }: Issued): TLSSocket {
  const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ cert, key }) });
  secure.on('error', () => {});
  return secure;
}

interface Talk {
  readonly options: SmtpOptions;
  readonly mails: ReceivedMail[];
  readonly said: string[];
  readonly isSecure: boolean;
}

/** Commands in the only order in which they are allowed: EHLO, STARTTLS, EHLO, AUTH, MAIL, RCPT, DATA, QUIT. */
class Conversation {
  readonly #socket: Socket;
  readonly #talk: Talk;
  readonly #mustLogIn: boolean;
  #text = '';
  #greeted = false;
  #user: string | undefined;
  #from: string | undefined;
  #to: string[] = [];
  #isData = false;

  constructor(socket: Socket, talk: Talk) {
    this.#socket = socket;
    this.#talk = talk;
    this.#mustLogIn = talk.options.user !== undefined;
  }

  begin(isFirst = true): void {
    this.#socket.on('data', this.#read);
    if (isFirst) this.#say('220 mail.test ESMTP');
  }

  readonly #read = (bytes: Buffer): void => {
    this.#talk.said.push(bytes.toString());
    this.#text += bytes.toString('latin1');
    for (let end = this.#end(); end !== undefined; end = this.#end()) {
      const { line, rest } = end;
      this.#text = rest;
      if (this.#isData) this.#store(line);
      else this.#answer(line);
    }
  };

  #end(): { readonly line: string; readonly rest: string } | undefined {
    const mark = this.#isData ? '\r\n.\r\n' : '\r\n';
    const at = this.#text.indexOf(mark);
    return at < 0 ? undefined : { line: this.#text.slice(0, at), rest: this.#text.slice(at + mark.length) };
  }

  #say(...lines: readonly string[]): void {
    this.#socket.write(lines.map((line) => `${line}\r\n`).join(''));
  }

  #answer(line: string): void {
    const [verb = '', ...words] = line.split(' ');
    const argument = words.join(' ');
    switch (verb.toUpperCase()) {
      case 'EHLO':
        return this.#greet(argument);
      case 'STARTTLS':
        return this.#startTls();
      case 'AUTH':
        return this.#logIn(words);
      case 'MAIL':
        return this.#mail(argument);
      case 'RCPT':
        return this.#recipient(argument);
      case 'DATA':
        if (this.#to.length === 0) return this.#say('503 no recipient');
        this.#isData = true;
        return this.#say('354 go on');
      case 'QUIT':
        this.#say('221 bye');
        return void this.#socket.end();
      default:
        return this.#say('502 not known');
    }
  }

  #greet(name: string): void {
    if (name === '') return this.#say('501 who');
    this.#greeted = true;
    const { tls, user } = this.#talk.options;
    const offers = [
      ...(tls !== undefined && !this.#talk.isSecure ? ['STARTTLS'] : []),
      ...(user !== undefined && (this.#talk.isSecure || tls === undefined) ? ['AUTH PLAIN'] : []),
      '8BITMIME',
    ];
    const lines = ['mail.test', ...offers];
    this.#say(...lines.map((line, at) => `250${at === lines.length - 1 ? ' ' : '-'}${line}`));
  }

  #startTls(): void {
    const { tls } = this.#talk.options;
    if (tls === undefined || this.#talk.isSecure) return this.#say('502 no TLS');
    this.#say('220 go on');
    this.#socket.off('data', this.#read);
    new Conversation(secured(this.#socket, tls), { ...this.#talk, isSecure: true }).begin(false);
  }

  #logIn([how, given = '']: readonly string[]): void {
    if (how !== 'PLAIN') return this.#say('504 only PLAIN');
    const [, user, password] = Buffer.from(given, 'base64').toString().split('\0');
    if (user !== this.#talk.options.user || password !== this.#talk.options.password) return this.#say('535 no');
    this.#user = user;
    this.#say('235 yes');
  }

  #mail(argument: string): void {
    const from = /^FROM:<([^>]*)>/i.exec(argument)?.[1];
    if (!this.#greeted) return this.#say('503 EHLO first');
    if (this.#mustLogIn && this.#user === undefined) return this.#say('530 log in first');
    if (from === undefined) return this.#say('501 from whom');
    this.#from = from;
    this.#to = [];
    this.#say('250 ok');
  }

  #recipient(argument: string): void {
    const to = /^TO:<([^>]+)>/i.exec(argument)?.[1];
    if (this.#from === undefined || to === undefined) return this.#say('503 MAIL first');
    const answer = this.#talk.options.onRecipient?.(to) ?? '250 ok';
    if (answer.startsWith('250')) this.#to.push(to);
    this.#say(answer);
  }

  #store(text: string): void {
    this.#isData = false;
    const { mails, options, isSecure } = this.#talk;
    const data = Buffer.from(text.replaceAll(/^\.\./gm, '.'), 'latin1').toString();
    const mail = { from: this.#from!, to: this.#to, data, isSecure, user: this.#user };
    const answer = options.onData?.(mail, mails.length + 1) ?? '250 taken';
    if (answer === 'cut' || answer.startsWith('250')) mails.push(mail);
    this.#from = undefined;
    if (answer === 'cut') this.#socket.destroy();
    else this.#say(answer);
  }
}
