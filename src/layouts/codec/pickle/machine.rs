//! The stack machine of a pickle: operations in, a graph of nodes out.
//!
//! Apart from `show` because the graph may refer to itself and to one node many times; only writing
//! it out has to be bounded in depth and size.
//! Invariant: no operation has an effect outside of `Machine`.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::Fault;
use super::super::reader::Reader;
use super::scalar::{latin1, line, long, number, piece, raw_unicode, repr};

const NODES_MAX: usize = 1 << 17;
const OPERATIONS_MAX: usize = 4 << 20;

/// A value; others are named by their place in the list of nodes.
#[derive(Debug)]
pub enum Node<'b> {
    None,
    Bool(bool),
    Int(i64),
    /// A number with all its digits, in the form the pickle had it.
    Digits(Cow<'b, str>),
    Float(f64),
    Text(Cow<'b, str>),
    Bytes(Cow<'b, [u8]>),
    List(Vec<usize>),
    Dict(Vec<(usize, usize)>),
    Class(Cow<'b, str>),
    Object(Object),
    /// Something kept outside of the pickle.
    Outside(usize),
}

#[derive(Debug, Default)]
pub struct Object {
    pub class: usize,
    pub arguments: Option<usize>,
    pub state: Option<usize>,
    pub items: Vec<usize>,
    pub members: Vec<(usize, usize)>,
}

#[derive(Clone, Copy)]
enum Entry {
    Mark,
    Node(usize),
}

struct Machine<'b> {
    reader: Reader<'b>,
    nodes: Vec<Node<'b>>,
    stack: Vec<Entry>,
    memo: HashMap<u64, usize>,
}

/// Walks a pickle; gives the nodes and the place of the root.
pub fn run(bytes: &[u8]) -> Result<(Vec<Node<'_>>, usize), Fault> {
    let mut machine = Machine {
        reader: Reader::new(bytes),
        nodes: Vec::new(),
        stack: Vec::new(),
        memo: HashMap::new(),
    };
    for _ in 0..OPERATIONS_MAX {
        let operation = machine.reader.byte()?;
        if operation == b'.' {
            let root = machine.pop()?;
            let is_all = machine.reader.is_at_end() && machine.stack.is_empty();
            return if is_all {
                Ok((machine.nodes, root))
            } else {
                Err(Fault::Not)
            };
        }
        machine.step(operation)?;
    }
    Err(Fault::Bound)
}

impl<'b> Machine<'b> {
    fn step(&mut self, operation: u8) -> Result<(), Fault> {
        match operation {
            b'(' => {
                self.stack.push(Entry::Mark);
                Ok(())
            }
            b'0' => self.stack.pop().map(|_| ()).ok_or(Fault::Not),
            b'1' => self.popped_to_mark().map(|_| ()),
            b'2' => {
                let top = self.top()?;
                self.stack.push(Entry::Node(top));
                Ok(())
            }
            b'g' | b'h' | b'j' | b'p' | b'q' | b'r' | 0x94 => self.memorize(operation),
            0x80 => match self.reader.byte()? {
                0..=5 => Ok(()),
                _ => Err(Fault::Not),
            },
            0x95 => self.reader.take(8).map(|_| ()),
            b'a' | b'e' | b's' | b'u' | b'b' | 0x90 => self.change(operation),
            b'c' | b'i' | b'o' | b'R' | 0x81 | 0x92 | 0x93 | 0x82..=0x84 | b'P' | b'Q' => {
                self.instance(operation)
            }
            b']' | b'l' | b')' | b't' | 0x85..=0x87 | b'}' | b'd' | 0x8f | 0x91 => {
                self.collect(operation)
            }
            // A buffer that is not in the pickle, and the wish to only read it.
            0x97 => self.push(Node::None),
            0x98 => Ok(()),
            scalar => {
                let node = self.scalar(scalar)?;
                self.push(node)
            }
        }
    }

    fn scalar(&mut self, operation: u8) -> Result<Node<'b>, Fault> {
        let reader = &mut self.reader;
        Ok(match operation {
            b'N' => Node::None,
            0x88 => Node::Bool(true),
            0x89 => Node::Bool(false),
            b'J' => Node::Int(i64::from(reader.little::<4>()? as u32 as i32)),
            b'K' => Node::Int(reader.little::<1>()? as i64),
            b'M' => Node::Int(reader.little::<2>()? as i64),
            0x8a => {
                let len = reader.little::<1>()?;
                long(reader.counted(len)?)
            }
            0x8b => {
                let len = reader.little::<4>()?;
                long(reader.counted(len)?)
            }
            b'G' => Node::Float(f64::from_bits(reader.big::<8>()?)),
            b'F' => Node::Float(line(reader)?.parse().map_err(|_| Fault::Not)?),
            b'I' => match line(reader)? {
                "00" => Node::Bool(false),
                "01" => Node::Bool(true),
                digits => number(digits)?,
            },
            b'L' => {
                let digits = line(reader)?;
                number(digits.strip_suffix('L').unwrap_or(digits))?
            }
            b'S' => Node::Bytes(Cow::Owned(repr(line(reader)?)?)),
            b'V' => Node::Text(Cow::Owned(raw_unicode(line(reader)?))),
            b'U' | b'C' | 0x8c => {
                let len = reader.little::<1>()?;
                piece(operation, reader.counted(len)?)?
            }
            b'T' | b'B' | b'X' => {
                let len = reader.little::<4>()?;
                piece(operation, reader.counted(len)?)?
            }
            0x8d | 0x8e | 0x96 => {
                let len = reader.little::<8>()?;
                piece(operation, reader.counted(len)?)?
            }
            _ => return Err(Fault::Not),
        })
    }

    fn collect(&mut self, operation: u8) -> Result<(), Fault> {
        let node = match operation {
            b']' | b')' | 0x8f => Node::List(Vec::new()),
            b'l' | b't' | 0x91 => Node::List(self.popped_to_mark()?),
            b'}' => Node::Dict(Vec::new()),
            b'd' => Node::Dict(pairs(self.popped_to_mark()?)?),
            _ => {
                let count = usize::from(operation - 0x84);
                let mut items = Vec::with_capacity(count);
                for _ in 0..count {
                    items.push(self.pop()?);
                }
                items.reverse();
                Node::List(items)
            }
        };
        self.push(node)
    }

    fn instance(&mut self, operation: u8) -> Result<(), Fault> {
        let node = match operation {
            b'c' => self.global()?,
            b'i' => {
                let class = self.global()?;
                let class = self.keep(class)?;
                let arguments = Node::List(self.popped_to_mark()?);
                let arguments = self.keep(arguments)?;
                object(class, Some(arguments))
            }
            b'o' => {
                let mut parts = self.popped_to_mark()?.into_iter();
                let class = parts.next().ok_or(Fault::Not)?;
                let arguments = self.keep(Node::List(parts.collect()))?;
                object(class, Some(arguments))
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                match (self.nodes.get(module), self.nodes.get(name)) {
                    (Some(Node::Text(module)), Some(Node::Text(name))) => {
                        Node::Class(format!("{module}.{name}").into())
                    }
                    _ => return Err(Fault::Not),
                }
            }
            0x82 => Node::Class(format!("extension {}", self.reader.little::<1>()?).into()),
            0x83 => Node::Class(format!("extension {}", self.reader.little::<2>()?).into()),
            0x84 => Node::Class(format!("extension {}", self.reader.little::<4>()?).into()),
            b'P' => {
                let id = Node::Text(line(&mut self.reader)?.into());
                Node::Outside(self.keep(id)?)
            }
            b'Q' => Node::Outside(self.pop()?),
            _ => {
                if operation == 0x92 {
                    self.pop()?;
                }
                let (arguments, class) = (self.pop()?, self.pop()?);
                self.called(class, arguments)
            }
        };
        self.push(node)
    }

    fn global(&mut self) -> Result<Node<'b>, Fault> {
        let module = line(&mut self.reader)?;
        let name = line(&mut self.reader)?;
        Ok(Node::Class(format!("{module}.{name}").into()))
    }

    /// What calling would give, for the few calls that only wrap a plain value; else an object.
    fn called(&self, class: usize, arguments: usize) -> Node<'b> {
        let (Some(Node::Class(name)), Some(Node::List(given))) =
            (self.nodes.get(class), self.nodes.get(arguments))
        else {
            return object(class, Some(arguments));
        };
        let first = given.first().and_then(|at| self.nodes.get(*at));
        match (name.as_ref(), first) {
            // How older protocols write bytes.
            ("_codecs.encode", Some(Node::Text(text))) => latin1(text).map_or_else(
                || object(class, Some(arguments)),
                |bytes| Node::Bytes(bytes.into()),
            ),
            ("builtins.bytearray" | "__builtin__.bytearray", Some(Node::Bytes(bytes))) => {
                Node::Bytes(bytes.clone())
            }
            (
                "builtins.set" | "builtins.frozenset" | "__builtin__.set" | "__builtin__.frozenset",
                Some(Node::List(items)),
            ) => Node::List(items.clone()),
            ("copyreg._reconstructor" | "copy_reg._reconstructor", _) => {
                object(given.first().copied().unwrap_or(class), None)
            }
            _ => object(class, Some(arguments)),
        }
    }

    fn change(&mut self, operation: u8) -> Result<(), Fault> {
        let values = match operation {
            b'a' | b'b' => vec![self.pop()?],
            b's' => {
                let value = self.pop()?;
                vec![self.pop()?, value]
            }
            _ => self.popped_to_mark()?,
        };
        let target = self.top()?;
        let node = self.nodes.get_mut(target).ok_or(Fault::Not)?;
        match (operation, node) {
            (b'a' | b'e' | 0x90, Node::List(items)) => items.extend(values),
            (b'a' | b'e' | 0x90, Node::Object(object)) => object.items.extend(values),
            (b's' | b'u', Node::Dict(members)) => members.extend(pairs(values)?),
            (b's' | b'u', Node::Object(object)) => object.members.extend(pairs(values)?),
            (b'b', Node::Object(object)) => object.state = values.first().copied(),
            (b'b', _) => {}
            _ => return Err(Fault::Not),
        }
        Ok(())
    }

    fn memorize(&mut self, operation: u8) -> Result<(), Fault> {
        let slot = match operation {
            b'g' | b'p' => line(&mut self.reader)?.parse().map_err(|_| Fault::Not)?,
            b'h' | b'q' => self.reader.little::<1>()?,
            b'j' | b'r' => self.reader.little::<4>()?,
            _ => self.memo.len() as u64,
        };
        if matches!(operation, b'g' | b'h' | b'j') {
            let node = *self.memo.get(&slot).ok_or(Fault::Not)?;
            self.stack.push(Entry::Node(node));
        } else {
            let top = self.top()?;
            self.memo.insert(slot, top);
        }
        Ok(())
    }

    fn keep(&mut self, node: Node<'b>) -> Result<usize, Fault> {
        if self.nodes.len() >= NODES_MAX {
            return Err(Fault::Bound);
        }
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    fn push(&mut self, node: Node<'b>) -> Result<(), Fault> {
        let at = self.keep(node)?;
        self.stack.push(Entry::Node(at));
        Ok(())
    }

    fn top(&self) -> Result<usize, Fault> {
        match self.stack.last() {
            Some(Entry::Node(at)) => Ok(*at),
            _ => Err(Fault::Not),
        }
    }

    fn pop(&mut self) -> Result<usize, Fault> {
        match self.stack.pop() {
            Some(Entry::Node(at)) => Ok(at),
            _ => Err(Fault::Not),
        }
    }

    fn popped_to_mark(&mut self) -> Result<Vec<usize>, Fault> {
        let mut items = Vec::new();
        loop {
            match self.stack.pop() {
                Some(Entry::Node(at)) => items.push(at),
                Some(Entry::Mark) => break,
                None => return Err(Fault::Not),
            }
        }
        items.reverse();
        Ok(items)
    }
}

fn object<'b>(class: usize, arguments: Option<usize>) -> Node<'b> {
    Node::Object(Object {
        class,
        arguments,
        ..Object::default()
    })
}

fn pairs(items: Vec<usize>) -> Result<Vec<(usize, usize)>, Fault> {
    let (pairs, rest) = items.as_chunks::<2>();
    match rest {
        [] => Ok(pairs.iter().map(|[name, value]| (*name, *value)).collect()),
        _ => Err(Fault::Not),
    }
}
