//! Graphs: work that is described once and asked for as a whole, by calls or by what a stream is asked for while it is
//! captured.
//!
//! A launch of a graph executes its nodes in an order that their dependencies allow, as work of the stream that it is
//! launched into. So all nodes are ordered with each other: two that the graph leaves unordered are not compared.

use std::collections::HashMap;
use std::ffi::{c_int, c_void};

use lockstep_simulate::BoundArg;

use crate::device::Device;
use crate::error::{Failed, Status};
use crate::launch::Asked;
use crate::site::Site;
use crate::transfer::{Copy, Shape, Side};

/// A function of the host and what it is given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostCall {
    pub function: extern "C" fn(*mut c_void),
    pub data: usize,
}

/// What a node does.
#[derive(Clone)]
pub(crate) enum Deed {
    Launch { asked: Asked, arguments: Vec<BoundArg> },
    Copy { name: &'static str, sides: (Side, Side), shape: Shape, kind: c_int },
    Fill { name: &'static str, to: Side, value: Vec<u8>, shape: Shape },
    Call(HostCall),
    Graph(Vec<Node>),
    Nothing,
}

#[derive(Clone)]
pub(crate) struct Node {
    /// Its handle in the graph that it was added to.
    pub handle: usize,
    pub deed: Deed,
    pub site: Site,
    /// The nodes of its graph that come before it.
    pub after: Vec<usize>,
}

#[derive(Clone, Default)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    /// Where it was released.
    released: Option<Site>,
}

impl Graph {
    pub(crate) fn of(nodes: Vec<Node>) -> Graph {
        Graph { nodes, released: None }
    }

    /// The nodes in an order that their dependencies allow, with those of graphs in it; none if there is a circle.
    pub(crate) fn in_order(&self) -> Option<Vec<Node>> {
        let mut done = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        while order.len() < self.nodes.len() {
            let is_ready = |i: &usize| {
                let after = &self.nodes[*i].after;
                !done[*i] && after.iter().all(|a| done.get(*a).copied().unwrap_or(true))
            };
            let next = (0..self.nodes.len()).find(is_ready)?;
            done[next] = true;
            order.push(next);
        }
        let nodes = order.into_iter().flat_map(|i| match &self.nodes[i].deed {
            Deed::Graph(nodes) => nodes.clone(),
            _ => vec![self.nodes[i].clone()],
        });
        Some(nodes.collect())
    }
}

/// The graphs of a program, those that can be launched among them, and what is captured.
#[derive(Default)]
pub(crate) struct Graphs {
    graphs: HashMap<usize, Graph>,
    count: usize,
    /// By stream: the graph that it is captured to.
    captured: HashMap<usize, usize>,
    /// By event: the graph in which it was recorded.
    recorded: HashMap<usize, usize>,
}

/// Handles of graphs lie above those of streams and events, and nodes of a graph above the graph.
const FIRST: usize = 1 << 40;
const STEP: usize = 1 << 20;

/// The handle of a node.
pub(crate) fn handle_of(graph: usize, node: usize) -> usize {
    graph + (node + 1) * 16
}

/// The graph and the number of a node.
pub(crate) fn node_of(handle: usize) -> (usize, usize) {
    (handle / STEP * STEP, (handle % STEP / 16).wrapping_sub(1))
}

impl Graphs {
    pub(crate) fn add(&mut self, graph: Graph) -> usize {
        self.count += 1;
        let handle = FIRST + self.count * STEP;
        self.graphs.insert(handle, graph);
        handle
    }

    /// The graph that the work of a stream goes into, if it is captured.
    pub(crate) fn of_stream(&self, stream: usize) -> Option<usize> {
        self.captured.get(&stream).copied()
    }

    pub(crate) fn capture(&mut self, stream: usize) -> Result<(), Failed> {
        if self.captured.contains_key(&stream) {
            return Failed::with(Status::ILLEGAL_STATE);
        }
        let graph = self.add(Graph::default());
        self.captured.insert(stream, graph);
        Ok(())
    }

    /// The capture that began at a stream is over, also for the streams that it has spread to.
    pub(crate) fn end_capture(&mut self, stream: usize) -> Result<usize, Failed> {
        let graph = self.of_stream(stream).ok_or(Failed(Status::ILLEGAL_STATE))?;
        self.captured.retain(|_, g| *g != graph);
        self.recorded.retain(|_, g| *g != graph);
        Ok(graph)
    }

    /// An event is recorded in a stream: whether that is captured.
    pub(crate) fn records(&mut self, event: usize, stream: usize) -> bool {
        match self.of_stream(stream) {
            Some(graph) => self.recorded.insert(event, graph),
            None => self.recorded.remove(&event),
        };
        self.captured.contains_key(&stream)
    }

    /// A stream waits for an event: whether it is captured from now on.
    pub(crate) fn waits(&mut self, stream: usize, event: usize) -> bool {
        let Some(graph) = self.recorded.get(&event).copied() else { return false };
        self.captured.insert(stream, graph);
        true
    }
}

impl Device {
    /// The graph behind a handle.
    pub(crate) fn graph(
        &mut self,
        handle: usize,
        call: &str,
        site: &Site,
    ) -> Result<&mut Graph, Failed> {
        let told = match self.graphs.graphs.get(&handle).map(|g| &g.released) {
            Some(None) => {
                let graph = self.graphs.graphs.get_mut(&handle);
                return graph.ok_or(Failed(Status::INVALID_VALUE));
            }
            Some(Some(before)) => {
                format!("{call} is given a graph that was released before{}", before.told())
            }
            None => format!("{call} is given a graph that does not exist"),
        };
        let help = "release a graph after its last use, and use only what the runtime has created";
        self.misuse(site, told, help);
        Failed::with(Status::INVALID_VALUE)
    }

    pub(crate) fn release_graph(
        &mut self,
        handle: usize,
        call: &str,
        site: &Site,
    ) -> Result<(), Failed> {
        let graph = self.graph(handle, call, site)?;
        graph.released = Some(site.clone());
        graph.nodes.clear();
        Ok(())
    }

    /// Adds a node behind others; returns its handle.
    pub(crate) fn add_node(
        &mut self,
        graph: usize,
        deed: Deed,
        after: Vec<usize>,
        call: &str,
        site: &Site,
    ) -> Result<usize, Failed> {
        let nodes = &mut self.graph(graph, call, site)?.nodes;
        let handle = handle_of(graph, nodes.len());
        nodes.push(Node { handle, deed, site: site.clone(), after });
        Ok(handle)
    }

    /// If a stream is captured, what it is asked for becomes a node, behind those that are there.
    pub(crate) fn is_captured(
        &mut self,
        stream: Option<usize>,
        call: &str,
        site: &Site,
        deed: impl FnOnce(&mut Device) -> Result<Deed, Failed>,
    ) -> Result<bool, Failed> {
        let Some(graph) = stream.and_then(|s| self.graphs.of_stream(s)) else { return Ok(false) };
        let deed = deed(self)?;
        let last = self.graph(graph, call, site)?.nodes.len().checked_sub(1);
        self.add_node(graph, deed, last.into_iter().collect(), call, site)?;
        Ok(true)
    }

    /// Executes a node as work of a stream; a function of the host is left to the caller.
    pub(crate) fn run_node(&mut self, node: &Node, stream: usize) -> Result<(), Failed> {
        let site = &node.site;
        match &node.deed {
            Deed::Launch { asked, arguments } => {
                self.begin_work(Some(stream));
                self.launch_bound(asked, arguments.clone(), site)
            }
            Deed::Copy { name, sides, shape, kind } => {
                self.begin_work(Some(stream));
                self.copy(&Copy { name, site }, *sides, *shape, *kind)
            }
            Deed::Fill { name, to, value, shape } => {
                self.begin_work(Some(stream));
                self.fill_with(&Copy { name, site }, *to, value, *shape)
            }
            Deed::Call(_) | Deed::Graph(_) | Deed::Nothing => Ok(()),
        }
    }
}
