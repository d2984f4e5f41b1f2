//! Writes the graph of a pickle as JSON text.

use super::super::Fault;
use super::super::tree::Tree;
use super::machine::{Node, Object};

pub fn text(nodes: &[Node<'_>], root: usize) -> Result<String, Fault> {
    let mut tree = Tree::default();
    node(nodes, root, &mut tree)?;
    Ok(tree.into_text())
}

fn node(nodes: &[Node<'_>], at: usize, tree: &mut Tree) -> Result<(), Fault> {
    match nodes.get(at).ok_or(Fault::Not)? {
        Node::None => tree.raw("null"),
        Node::Bool(value) => tree.bool(*value),
        Node::Int(value) => tree.int(value),
        Node::Digits(digits) => tree.raw(digits),
        Node::Float(value) => tree.float(*value),
        Node::Text(text) => tree.text(text),
        Node::Bytes(bytes) => tree.bytes(bytes),
        Node::Class(name) => {
            tree.raw("{\"$class\":")?;
            tree.text(name)?;
            tree.raw("}")
        }
        Node::Outside(id) => {
            tree.open("{\"$outside\":")?;
            node(nodes, *id, tree)?;
            tree.close("}")
        }
        Node::List(items) => list(nodes, items, tree),
        Node::Dict(members) => {
            tree.open("{")?;
            put_members(nodes, members, 0, tree)?;
            tree.close("}")
        }
        Node::Object(object) => put_object(nodes, object, tree),
    }
}

fn list(nodes: &[Node<'_>], items: &[usize], tree: &mut Tree) -> Result<(), Fault> {
    tree.open("[")?;
    for (at, item) in items.iter().enumerate() {
        tree.separate(at)?;
        node(nodes, *item, tree)?;
    }
    tree.close("]")
}

/// Returns how many members stand there now.
fn put_members(
    nodes: &[Node<'_>],
    members: &[(usize, usize)],
    before: usize,
    tree: &mut Tree,
) -> Result<usize, Fault> {
    for (at, (name, value)) in members.iter().enumerate() {
        tree.separate(before + at)?;
        let start = tree.position();
        node(nodes, *name, tree)?;
        tree.make_name(start)?;
        node(nodes, *value, tree)?;
    }
    Ok(before + members.len())
}

fn put_object(nodes: &[Node<'_>], object: &Object, tree: &mut Tree) -> Result<(), Fault> {
    tree.open("{\"$class\":")?;
    match nodes.get(object.class) {
        Some(Node::Class(name)) => tree.text(name)?,
        Some(_) => node(nodes, object.class, tree)?,
        None => return Err(Fault::Not),
    }
    if let Some(arguments) = object.arguments
        && !matches!(nodes.get(arguments), Some(Node::List(items)) if items.is_empty())
    {
        tree.raw(",\"$arguments\":")?;
        node(nodes, arguments, tree)?;
    }
    let mut count = put_members(nodes, &object.members, 1, tree)?;
    if let Some(state) = object.state {
        count = put_state(nodes, state, count, tree)?;
    }
    if !object.items.is_empty() {
        tree.separate(count)?;
        tree.raw("\"$items\":")?;
        list(nodes, &object.items, tree)?;
    }
    tree.close("}")
}

/// The members of an instance: a dict, or a pair of dicts where a class has slots.
fn put_state(
    nodes: &[Node<'_>],
    state: usize,
    count: usize,
    tree: &mut Tree,
) -> Result<usize, Fault> {
    match nodes.get(state) {
        Some(Node::Dict(members)) => put_members(nodes, members, count, tree),
        Some(Node::List(parts)) if is_pair_of_states(nodes, parts) => {
            let mut count = count;
            for part in parts {
                if let Some(Node::Dict(members)) = nodes.get(*part) {
                    count = put_members(nodes, members, count, tree)?;
                }
            }
            Ok(count)
        }
        _ => {
            tree.separate(count)?;
            tree.raw("\"$state\":")?;
            node(nodes, state, tree)?;
            Ok(count + 1)
        }
    }
}

fn is_pair_of_states(nodes: &[Node<'_>], parts: &[usize]) -> bool {
    parts.len() == 2
        && parts
            .iter()
            .all(|part| matches!(nodes.get(*part), Some(Node::Dict(_) | Node::None)))
}
