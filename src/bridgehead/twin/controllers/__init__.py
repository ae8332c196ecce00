"""The controllers of a cluster: each watches the store and makes what is as it should be."""
