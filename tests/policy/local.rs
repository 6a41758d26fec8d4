//! Servers of this machine: a web that records what it is asked, a canary that nobody may reach, and a
//! DNS whose answers change.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use simple_dns::rdata::{A, AAAA, RData};
use simple_dns::{CLASS, Name, Packet, QTYPE, Question, RCODE, ResourceRecord, TYPE};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};
use toolkit::BoxFuture;
use toolkit::http::Resolver;

/// A listener that counts who comes.
pub(crate) struct Canary {
    pub(crate) port: u16,
    met: Arc<AtomicU64>,
}

impl Canary {
    /// At this address, on any port where it is 0.
    pub(crate) async fn at(address: impl Into<IpAddr>, port: u16) -> Self {
        let listener = TcpListener::bind((address.into(), port)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let met = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&met);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                drop(stream);
            }
        });
        Self { port, met }
    }

    /// How many came; whoever has connected by now is among them.
    pub(crate) async fn met(&self) -> u64 {
        // A connection is there as soon as the system has shaken hands: let the listener see it.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        self.met.load(Ordering::SeqCst)
    }
}

/// One request, as a server got it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// `GET /a HTTP/1.1`
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap()
    }
}

/// What is answered to a request.
pub(crate) type Answer = dyn Fn(&Asked) -> Vec<u8> + Send + Sync;

/// A server of HTTP/1.1 at `127.0.0.1`.
#[derive(Clone)]
pub(crate) struct Web {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Web {
    pub(crate) async fn new(answer: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::with(answer, |stream| Box::pin(async { Some(stream) })).await
    }

    /// One that makes another stream of each connection, e.g. a secure one.
    pub(crate) async fn with<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        answer: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static,
        wrap: impl Fn(tokio::net::TcpStream) -> BoxFuture<'static, Option<S>> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (answer, kept): (Arc<Answer>, _) = (Arc::new(answer), Arc::clone(&asked));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, kept) = (Arc::clone(&answer), Arc::clone(&kept));
                let wrapped = wrap(stream);
                tokio::spawn(async move {
                    let Some(mut stream) = wrapped.await else { return };
                    let Some(request) = read(&mut stream).await else { return };
                    let answer = answer(&request);
                    kept.lock().unwrap().push(request);
                    // The client may hang up in the middle.
                    let _ = stream.write_all(&answer).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { port, asked }
    }

    /// What it was asked since the last time.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Option<Asked> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    // Whoever speaks TLS here asks for nothing.
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let (line, headers) = head.split_once("\r\n").unwrap();
    let pair = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_lowercase(), value.to_owned())
    };
    let headers: HashMap<_, _> = headers.split("\r\n").map(pair).collect();
    let length = headers.get("content-length").map_or(0, |n| n.parse().unwrap());
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Asked { line: line.to_owned(), headers, body: String::from_utf8(body).unwrap() })
}

/// An answer of this status, headers (each with its line's end) and body.
pub(crate) fn answer(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

pub(crate) fn moved(status: &str, to: &str) -> Vec<u8> {
    answer(status, &format!("location: {to}\r\n"), "")
}

/// What a name has at each time that it is asked for; the last stays.
type Zone = HashMap<String, Vec<Vec<IpAddr>>>;

/// A DNS server at `127.0.0.1`, over UDP.
#[derive(Clone)]
pub(crate) struct Dns {
    address: SocketAddr,
    /// Which names were asked for, once for each asker.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Dns {
    pub(crate) async fn new(zone: &[(&str, &[&[&str]])]) -> Self {
        let parse = |address: &&str| address.parse::<IpAddr>().unwrap();
        let zone: Zone = zone
            .iter()
            .map(|(name, turns)| {
                let turns = turns.iter().map(|turn| turn.iter().map(parse).collect());
                ((*name).to_owned(), turns.collect())
            })
            .collect();
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut turns = HashMap::new();
            let mut buffer = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
                let reply = reply(&buffer[..length], &zone, &mut turns, &kept);
                let _ = socket.send_to(&reply, from).await;
            }
        });
        Self { address, asked }
    }

    /// Which names were asked for since the last time.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    /// What asks this server.
    pub(crate) fn resolver(&self) -> Stub {
        Stub { server: self.address, ids: AtomicU16::new(1) }
    }
}

fn reply(
    query: &[u8],
    zone: &Zone,
    turns: &mut HashMap<String, usize>,
    asked: &Mutex<Vec<String>>,
) -> Vec<u8> {
    let query = Packet::parse(query).unwrap();
    let question = &query.questions[0];
    let name = question.qname.to_string();
    let mut reply = Packet::new_reply(query.id());
    reply.questions.push(question.clone());
    // The stub asks for A, then for AAAA: both belong to one turn.
    let wants_v4 = question.qtype == QTYPE::TYPE(TYPE::A);
    if wants_v4 {
        asked.lock().unwrap().push(name.clone());
    }
    let Some(answers) = zone.get(&name) else {
        *reply.rcode_mut() = RCODE::NameError;
        return reply.build_bytes_vec().unwrap();
    };
    let turn = turns.entry(name).or_insert(0);
    for address in &answers[(*turn).min(answers.len() - 1)] {
        let data = match address {
            IpAddr::V4(address) if wants_v4 => RData::A(A { address: (*address).into() }),
            IpAddr::V6(address) if !wants_v4 => RData::AAAA(AAAA { address: (*address).into() }),
            _ => continue,
        };
        reply.answers.push(ResourceRecord::new(question.qname.clone(), CLASS::IN, 0, data));
    }
    *turn += usize::from(!wants_v4);
    reply.build_bytes_vec().unwrap()
}

/// A resolver that keeps nothing.
pub(crate) struct Stub {
    server: SocketAddr,
    ids: AtomicU16,
}

impl Resolver for Stub {
    fn resolve<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let mut found = self.ask(name, TYPE::A).await?;
            found.extend(self.ask(name, TYPE::AAAA).await?);
            Ok(found)
        })
    }
}

impl Stub {
    async fn ask(&self, name: &str, kind: TYPE) -> io::Result<Vec<IpAddr>> {
        let id = self.ids.fetch_add(1, Ordering::SeqCst);
        let mut query = Packet::new_query(id);
        let name = Name::new(name).map_err(io::Error::other)?;
        query.questions.push(Question::new(name, kind.into(), CLASS::IN.into(), false));
        let socket = UdpSocket::bind("127.0.0.1:0").await?;
        socket.connect(self.server).await?;
        socket.send(&query.build_bytes_vec().map_err(io::Error::other)?).await?;
        let mut buffer = [0; 1500];
        let length = socket.recv(&mut buffer).await?;
        let reply = Packet::parse(&buffer[..length]).map_err(io::Error::other)?;
        assert_eq!(reply.id(), id);
        let address = |record: &ResourceRecord<'_>| match record.rdata {
            RData::A(A { address }) => Some(IpAddr::V4(address.into())),
            RData::AAAA(AAAA { address }) => Some(IpAddr::V6(address.into())),
            _ => None,
        };
        Ok(reply.answers.iter().filter_map(address).collect())
    }
}
